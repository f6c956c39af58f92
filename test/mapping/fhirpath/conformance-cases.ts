// Expressions on which HL7's own engine (fhirpath.js) and this one must agree, and those on which they knowingly do not. One a line.

function list(lines: string): readonly string[] {
  return lines.split('\n').filter((line) => line.trim() !== '');
}

/** On `PLAIN_DATA`, which has no types. */
export const ON_PLAIN_DATA = list(String.raw`
list.where(0)
objs.select(tags.where(true).count() + $index)
objs.select(tags.exists($this = 'q').toInteger() + $index)
objs.select(tags.select($this).count() + $index)
objs.select(tags.aggregate($index).count() + $index)
list.aggregate(%d.list.aggregate($total + $this, 0) + $total, 0)
a
b
s
list
mix
empty
nested.deep.deeper
nested.deep.deeper[1]
zero
es
es.empty()
es.length()
nulls
objs.k
objs.where(k = 'a').n
objs.where(n > 1).k
objs.tags
objs.select(tags)
objs.select(k | n)
objs.exists(n = 2)
objs.all(n > 0)
objs.n.aggregate($this + $total, 0)
objs.n.aggregate(iif($total.empty(), $this, iif($this < $total, $this, $total)))
list.aggregate($total + $this)
list.sum()
list.min()
list.max()
list.avg()
empty.sum()
empty.min()
empty.avg()
list.distinct()
list.isDistinct()
list.first()
list.last()
list.tail()
list.count()
list = (3 | 1 | 2)
list = list
list ~ list
list != list
(1 | 2) = (2 | 1)
(1 | 2) ~ (1 | 2)
(1|2|3).intersect(2|3|4)
bools.allTrue()
bools.anyTrue()
bools.allFalse()
bools.anyFalse()
empty.allTrue()
empty.anyTrue()
empty.allFalse()
empty.anyFalse()
list.allTrue()
tree.repeat(item).v
tree.descendants().count()
tree.children()
1 + 2
1 + 2 * 3
(1 + 2) * 3
7 div 2
-7 div 2
7 mod 2
-7 mod 2
5.5 mod 0.7
5.5 div 0.7
1 / 2
1 / 0
1 div 0
1 mod 0
0.1 + 0.2
0.1 + 0.2 = 0.3
1.1 * 1.1
0.3 - 0.1
3 * 0.1
1e3
-5
+5
-(1 + 2)
- s
1 - -1
'a' + 'b'
'a' + foo
'a' & foo
foo & foo
'a' & 'b' & 'c'
'a' + 1
'a' & 1
1 & 2
s + 1
1 + foo
foo * 2
1 = 1.0
1 = 1.000000001
1.0 = 1
1 = '1'
'a' = 'A'
'a' ~ 'A'
'a b' ~ 'A  B'
'a b' ~ 'A\tB'
1 ~ 1.04
1.0 ~ 1.04
1.1 ~ 1.14
1.1 ~ 1.16
2 ~ 1.6
1 !~ 2
{} = {}
{} ~ {}
{} !~ {}
{} = 1
1 != {}
{} ~ 1
1 != 2
1 < 2
1 <= 1
2 > 1
2 >= 3
'a' < 'b'
'B' < 'a'
'a' < 1
{} < 1
list > 1
true and true
true and false
true and {}
false and {}
{} and {}
{} and false
{} and true
true or {}
false or {}
{} or {}
{} or true
{} or false
false or false
true xor true
true xor false
true xor {}
{} xor {}
true implies true
true implies false
true implies {}
false implies {}
false implies true
{} implies true
{} implies false
{} implies {}
false implies false
a and t
s or f
1 and true
list and true
'x' and true
t.not()
a.not()
zero.not()
{}.not()
list.not()
'true'.toBoolean()
'T'.toBoolean()
'no'.toBoolean()
'1.0'.toBoolean()
'maybe'.toBoolean()
1.toBoolean()
0.toBoolean()
2.toBoolean()
1.0.toBoolean()
true.toBoolean()
'12'.toInteger()
'+12'.toInteger()
'-12'.toInteger()
'1.5'.toInteger()
1.5.toInteger()
true.toInteger()
'x'.toInteger()
'1.5'.toDecimal()
'-1.50'.toDecimal()
'x'.toDecimal()
true.toDecimal()
'.5'.toDecimal()
1.toString()
1.5.toString()
true.toString()
'x'.toString()
@2020-01-01.toString()
@2020-01-01T10:00:00Z.toString()
@T10:00.toString()
(4 days).toString()
(4 'mg').toString()
list.toString()
{}.toString()
'2020-01-01'.toDate()
'2020-01'.toDate()
'2020'.toDate()
'2020-1'.toDate()
'x'.toDate()
'2020-01-01T10:00:00'.toDateTime()
'2020-01-01T10:00:00.123+02:00'.toDateTime()
'2020-01-01'.toDateTime()
@2020-01-01.toDateTime()
@2020-01-01T10:00:00Z.toDate()
'10:30'.toTime()
'10:30:00.5'.toTime()
'T10:30'.toTime()
'25:00'.toTime()
'1'.convertsToInteger()
'x'.convertsToInteger()
{}.convertsToInteger()
'x'.convertsToString()
'1.5'.convertsToDecimal()
'true'.convertsToBoolean()
'2020'.convertsToDate()
'2020'.convertsToDateTime()
'10'.convertsToTime()
'4 days'.convertsToQuantity()
'4 \'mg\''.convertsToQuantity()
'4 foo'.convertsToQuantity()
'4'.convertsToQuantity()
s.indexOf('World')
s.indexOf('x')
s.indexOf('')
s.indexOf({})
{}.indexOf('x')
s.lastIndexOf('o')
s.substring(6)
s.substring(6, 2)
s.substring(6, 100)
s.substring(100)
s.substring(-1)
s.substring(0, 0)
s.substring(0, -1)
s.substring({})
s.substring(2, {})
{}.substring(1)
''.substring(0)
s.startsWith('Hello')
s.startsWith('')
s.endsWith('World')
s.endsWith('x')
s.contains('lo W')
s.contains('')
s.contains({})
s.upper()
s.lower()
s.replace('o', '0')
s.replace('', '-')
s.replace('o', {})
s.replace('x', 'y')
'abc'.replace('b', '')
s.length()
s.toChars()
''.toChars()
'a,b,,c'.split(',')
'abc'.split('')
''.split(',')
'  a b '.trim()
mix.join(',')
list.join(',')
empty.join(',')
s.toChars().join('|')
'test'.encode('base64')
'test?'.encode('urlbase64')
'test'.encode('hex')
'dGVzdA=='.decode('base64')
'74657374'.decode('hex')
'<a href="x">\'&\'</a>'.escape('html')
'&lt;a&gt;&amp;&quot;&#39;'.unescape('html')
'"a\\b\n"'.escape('json')
'a\\nb\\"'.unescape('json')
a.upper()
list.upper()
{}.upper()
(-5).abs()
5.5.abs()
((-5.5 'mg').abs()).toString()
1.1.ceiling()
(-1.1).ceiling()
1.9.floor()
(-1.1).floor()
1.5.truncate()
(-1.5).truncate()
1.5.round()
2.5.round()
(-1.5).round()
3.14159.round(3)
5.round(2)
4.sqrt()
2.sqrt()
(-1).sqrt()
0.exp()
1.exp()
1.ln()
2.ln()
100.log(10)
16.log(2)
2.power(3)
2.5.power(2)
(-1).power(0.5)
2.power({})
{}.power(2)
{}.abs()
s.abs()
list.abs()
@2020-01-01
@2020
@2020-01-01T10
@2020-01-01T10:00
@2020-01-01T10:00:00.000Z
@T10:00
@2020-01-01 = @2020-01-01
@2020-01-01 = @2020-01
@2020-01-01 = @2020
@2020-01-01 = @2021
@2020-01-01 ~ @2020-01
@2020-01-01 != @2020-01
@2020-01-01T10:00:00Z = @2020-01-01T11:00:00+01:00
@2020-01-01T10:00Z = @2020-01-01T11:00:00+01:00
@2020-01-01T10:00:00Z = @2020-01-01T10:00:00.000Z
@2020-01-01T10:00:00Z ~ @2020-01-01T11:00:00+01:00
@2020-01-01 < @2020-01-02
@2020-01 < @2020-01-02
@2020-01 < @2020-02-02
@2020 <= @2020-01
@2020-01-01T10:00:00Z < @2020-01-01T10:30:00+01:00
@2020-01-01 < @2020-01-01T10:00:00Z
@2020-01-01 < @2020-01-02T10:00:00Z
@2020-01-01 = @2020-01-01T10:00:00Z
@T10:00 < @T11:00
@T10:00 = @T10:00:00
@T10:00:00 = @T10:00:00.000
@T10:00 = @2020-01-01
@T10:00 < @2020-01-01
@2020-01-31 + 1 month
@2020-01-31 + 1 'mo'
@2020-02-29 + 1 year
@2020-02-29 - 1 year
@2020-01-01 + 1 week
@2020-01-01 + 36 hours
@2020-01-01 + 1.9 days
@2020 + 13 months
@2020-01 + 31 days
@2020 + 366 days
@T23:30 + 45 minutes
@T01:00 - 2 hours
@T10:00:00 + 1 day
@2020-01-01 + 1
@2020-01-01 + 'x'
(4 days).toString()
(4 'mg').toString()
4 days = 4 days
1 week = 7 days
1 day = 24 hours
1 year = 12 months
1 year = 1 'a'
1 year ~ 1 'a'
1 second = 1 's'
1 'g' = 1000 'mg'
1 'g' > 999 'mg'
1 'g' < 1 'm'
(4 'mg' + 2 'mg').toString()
(4 'mg' - 2 'mg').toString()
(4 'mg' * 2).toString()
(2 * 4 'mg').toString()
(4 'mg' / 2).toString()
(4 'mg' / 2 'mg').toString()
(4 days + 1 day).toString()
(-(4 'mg')).toString()
1 = 1 '1'
('4 days'.toQuantity()).toString()
('4 \'mg\''.toQuantity()).toString()
(4.toQuantity()).toString()
(1 'g'.toQuantity('mg')).toString()
1 is Integer
1.5 is Decimal
1 is Decimal
'a' is String
'a' is System.String
true is Boolean
@2020 is Date
@2020-01-01T is DateTime
@T10:00 is Time
4 days is Quantity
'a' as String
'a' as Integer
mix.ofType(Integer)
mix.ofType(String)
mix.ofType(Boolean)
mix is String
1.type()
'a'.type().name
true.type().namespace
a.is(Integer)
a.as(Integer)
coalesce(foo, a, b)
coalesce(foo, {})
a // comment
/* c */ a
a /* c */ + /* d */ 1
'it\'s'
'a\u0041'
'a\qb'
'\\'
'\n'.length()
list[-1]
list[1.0]
list[{}]
list.where($this > 1)[0]
objs.where(k='a')[1].n
objs[0].tags[1]
(1 | 2 | 3).where($this mod 2 = 1)
(1 | 2).select($this * 2)
(1|1|2).count()
list | list
1 | 1.0
'a' | 'A'
objs | objs
objs.combine(objs).count()
objs.combine(objs).distinct().count()
objs = objs
objs[0] = objs[1]
objs[0] ~ objs[0]
objs.isDistinct()
exists()
empty()
count()
where(a = 1).s
select(a + b)
%context.a
%d.list.first()
d.list
%d.objs.where(n = %d.a).k
objs.where(n = %d.b + 0.5).k
objs.where(tags contains 'p').k
objs.where(tags.exists(($this = 'p'))).n
objs.select(tags.select($index))
objs.select($index)
list.select($this + $index)
a = 1 or b = 2 and t = false
not()
1 > 2 = false
1 + 1 = 2
'a' in 'a' | 'b'
a in list and t
t = true implies f = true
1 | 2 | 3 = 3
-1.abs()
(1).combine(2).count()
(1 | 2).first() + 1
list.repeat(foo)
s.select($this)
s.where(length() > 5)
s.where($this.length() > 50)
objs.where(k = 'a' and n > 1).select(k & '-' & n.toString())
objs.tags.where($this = 'p').exists()
objs.first().tags.last()
s.length().toString() & '!'
'2020-01-01' < '2020-01-02'
date.toDate() + 1 month
list.exclude(3)
list.intersect(list)
list.union(list)
{} | {}
{}.union(1)
{}.combine(1)
{}.intersect(1)
{}.exclude(1)
list.exclude({})
{}.subsetOf(1)
list.subsetOf({})
{}.supersetOf({})
{}.exists()
{}.all($this = 1)
{}.first()
{}.count()
{}.isDistinct()
{}.distinct()
{}.where(true)
{}.select(1)
{}.aggregate(1, 5)
{}.iif(true, 1, 2)
{ }
iif({}, 1, 2)
iif(1 = 1, 1, 1/0)
list.iif(true, $this, 1)
`);

export const IN_BACKTICKS = ['`a`', 'nested.`deep`.deeper'];

/** On `PATIENT`, as plain JSON. */
export const ON_PATIENT = list(`
name
name.given
name.family
Patient.name.given
name[0].given[1]
name[5]
name.given[2]
name.first().given.last()
name.where(use = 'official').given
name.where(use = 'official').given.first()
name.where(given = 'Annie')
name.select(given.first() & ' ' & family)
name.select(given.first() + ' ' + family)
telecom.where(system='phone').value
telecom.exists(system = 'email')
telecom.all(system.exists())
telecom.all(rank.exists())
name.count()
name.given.count()
name.given.distinct().count()
name.given.isDistinct()
name.tail().given
name.skip(1).use
name.take(1).use
name.take(0).use
name.single()
id.single()
active
active.not()
deceased
birthDate
birthDate.extension
birthDate.extension.url
birthDate.extension('http://x/time').url
extension('http://x/a').valueString
extension('http://x/b').extension('c').valueDecimal
children().count()
name.children()
contact.descendants()
address.line.join(', ')
address.line.join()
name.given.join('-')
name.given | name.family
name.given.union(name.family)
name.given.combine(name.given).count()
name.given.intersect('Ana' | 'Zoe')
name.given.exclude('Ana')
name.given.subsetOf(name.given)
('Ana').subsetOf(name.given)
name.given.supersetOf('Ana')
'Ana' in name.given
name.given contains 'Ana'
{} in name.given
name.given contains {}
'Ana' in {}
{} contains 'x'
name.given in name.given
%v
%p.name.family
%v + 1
%'v' + 1
resourceType
Observation.name
name.exists()
foo.exists()
foo.empty()
foo.count()
foo
foo.bar.baz
foo.first()
foo.not()
name.where(foo)
name.where(use)
iif(active, 'yes', 'no')
iif(foo, 'yes', 'no')
iif(active, 'yes')
iif(false, 'yes')
name.iif(count() > 1, 'many', 'one')
name.select(iif(family.exists(), family, given.first()))
name.select($index)
name.where($index = 1).use
name.given.where($this = 'Ana')
name.given.select($this.length())
$this.id
name.given.all($this.length() > 2)
id is String
active is Boolean
multipleBirthInteger is Integer
active is String
foo is String
birthDate.hasValue()
name.hasValue()
id.getValue()
name.given.hasValue()
id.type()
active.type().name
telecom.rank + 1
telecom.rank.toString()
(telecom.rank | telecom.rank).count()
name.repeat(given)
repeat(contact)
contact.telecom.value.toInteger() + 1
name.family.upper()
name.family.lower().length()
name.given.upper()
`);

/** On `OBSERVATION`, as plain JSON. */
export const ON_OBSERVATION = list(`
code.coding.code
code.coding.where(system = 'http://loinc.org').display.first()
valueQuantity.value > 70
valueQuantity.value * 2
component.valueString
component.where(code.text = 'b').valueQuantity.value
valueQuantity.unit
status in ('final' | 'amended')
status = 'final' and code.exists()
code.coding.exists(code = '29463-7') xor false
effectiveDateTime
effectiveDateTime.toDateTime()
effectiveDateTime.toDate()
effectiveDateTime.substring(0, 4)
`);

/** On `PATIENT`; HL7's engine has the types of FHIR R4. */
export const ON_TYPED_PATIENT = list(`
Patient.multipleBirth
multipleBirth is integer
multipleBirth is boolean
multipleBirth.ofType(integer)
multipleBirth.ofType(boolean)
multipleBirth as integer
deceased
deceased.exists()
extension.where(url = 'http://x/a').value
extension('http://x/a').value
extension('http://x/b').extension('c').value
extension.value
birthDate.extension('http://x/time').value
birthDate > @1980-01-01
birthDate = @1980-05-17
birthDate + 1 month
birthDate is date
birthDate < @2000
Patient.is(Patient)
Patient is Patient
$this is Patient
$this is Resource
$this is DomainResource
$this is Observation
$this as Patient
($this as Patient).id
name.given is string
active is boolean
contact.name.family
`);

/** On `OBSERVATION`; HL7's engine has the types of FHIR R4. */
export const ON_TYPED_OBSERVATION = list(`
value
value.unit
value.value
value is Quantity
value is string
value as Quantity
(value as Quantity).unit
value.as(Quantity).value
value.ofType(Quantity).value
value.ofType(string)
Observation.value.ofType(Quantity).value > 70
component.value
component.value.ofType(string)
component.value.ofType(Quantity).value
component.where(value is Quantity).code.text
component.select(value)
value > 70 'kg'
value = 72.5 'kg'
value < 100 'kg'
value > 72000 'g'
effective
effective is dateTime
effective > @2026
effective > @2026-01-01
effective.ofType(dateTime)
effective = @2026-11-21T08:30:00Z
effective < @2026-11-21T08:31:00Z
effectiveDateTime
valueQuantity
status is code
code.coding.code is code
code.coding.system is uri
Observation.code.coding.where(code = '29463-7').exists()
Resource.status
DomainResource.status
children().count()
component.value.exists()
code.text.upper()
effective.toString()
value.toString()
`);

export type Difference = { readonly expression: string; readonly ours: unknown; readonly reason: string };

/** `ours` is the result, or the beginning of an error's message. */
export const DIFFERENCES: readonly Difference[] = [
  { expression: 'list.skip(-1)', ours: [3, 1, 2, 3], reason: 'HL7: none are skipped' },
  { expression: 'list.take(-1)', ours: [], reason: 'HL7: none are taken' },
  { expression: 'list[a]', ours: [1], reason: 'the index is a value like any other' },
  { expression: "list['x']", ours: '[ ] needs a number', reason: 'an index that is a text is a mistake' },
  { expression: 'nulls.count()', ours: [2], reason: 'a null is nothing' },
  { expression: 'nulls[0]', ours: [1], reason: 'a null is nothing' },
  { expression: 'repeat(tree | item)', ours: 'repeat() takes a path', reason: 'unbounded recursion' },
  { expression: '-a', ours: [-1], reason: "HL7: a number's sign" },
  { expression: '-foo', ours: [], reason: 'an operation with nothing gives nothing' },
  { expression: 'true < false', ours: '< cannot compare', reason: 'HL7: booleans have no order' },
  {
    expression: 'list.convertsToInteger()',
    ours: 'convertsToInteger() works',
    reason: 'HL7: several items are an error',
  },
  { expression: "s.replace('o', '$&')", ours: ['Hell$& W$&rld'], reason: 'the text is put in as it is' },
  { expression: '1.005.round(2)', ours: [1.01], reason: 'decimal digits, not binary ones' },
  { expression: '0.3 div 0.1', ours: [3], reason: 'decimal digits, not binary ones' },
  { expression: '0.ln()', ours: [], reason: 'JSON has no infinity' },
  { expression: '@2020-01-01T', ours: ['2020-01-01'], reason: 'as FHIR writes it' },
  { expression: '@2020-01-01T10:00:00Z + 30 minutes', ours: ['2020-01-01T10:30:00Z'], reason: 'the offset stays' },
  { expression: '@2020-01-01T10:00:00 + 90 seconds', ours: ['2020-01-01T10:01:30'], reason: 'the offset stays' },
  { expression: '@2020-01-01T10:00:00+02:00 - 1 day', ours: ['2019-12-31T10:00:00+02:00'], reason: 'the offset stays' },
  { expression: '@2020-01-01T10 + 90 minutes', ours: ['2020-01-01T11'], reason: 'the offset stays' },
  { expression: "@2020-01-01T10:00:00Z + 1.5 's'", ours: ['2020-01-01T10:00:01.500Z'], reason: 'the offset stays' },
  { expression: "1 'mg/dL' = 1 'mmol/L'", ours: [], reason: 'units that cannot be converted do not tell' },
  { expression: "(1 'g' + 1 'mg').toString()", ours: ["1.001 'g'"], reason: 'in the unit of the first' },
  { expression: 'date > @2020-01-01', ours: [true], reason: 'a text beside a date is read as one' },
  { expression: 'date = @2020-01-15', ours: [true], reason: 'a text beside a date is read as one' },
  { expression: 'dt > @2020', ours: [], reason: 'a text beside a date is read as one' },
  { expression: 'dt + 1 day', ours: ['2020-01-16T10:30:00Z'], reason: 'a text beside a duration is read as a date' },
  { expression: "dt < '2020-01-15T11:45:00+02:00'", ours: [false], reason: 'two texts with days are compared as days' },
  { expression: "iif('x', 1, 2)", ours: [1], reason: 'HL7, singleton evaluation: a single item is true' },
  {
    expression: 'list.where(%d.bools)',
    ours: 'where() works on a single value',
    reason: 'HL7: several items are no truth value',
  },
  { expression: 'a.value', ours: [], reason: 'only objects have members' },
  { expression: 'choice.value', ours: ['x'], reason: 'choice elements are found without types' },
  { expression: '4 days', ours: [{ value: 4, unit: 'day' }], reason: 'as FHIR writes it' },
  {
    expression: "4 'mg'",
    ours: [{ value: 4, unit: 'mg', system: 'http://unitsofmeasure.org', code: 'mg' }],
    reason: 'as FHIR writes it',
  },
];
