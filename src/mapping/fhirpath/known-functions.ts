// Every function that an expression may call: its arguments, its result and one line of documentation; and the refused ones, each
// with the reason.

/**
 * What a bare name inside an argument reads. `item`: each item before the dot, one after another; `items`: all of them;
 * `outside`: what a bare name outside of the call reads.
 */
export type ArgumentScope = 'item' | 'items' | 'outside';

export type FunctionResult =
  /** Items of the value before the dot. */
  | 'same'
  /** What its first argument gives, or another one, for `iif`. */
  | 'argument'
  | 'boolean'
  | 'string'
  | 'strings'
  | 'integer'
  | 'number'
  | 'date'
  | 'dateTime'
  | 'time'
  | 'quantity'
  | 'Coding'
  | 'Reference'
  | 'Extension'
  | 'unknown';

export type FunctionInfo = {
  readonly minArguments: number;
  readonly maxArguments: number;
  readonly scope: ArgumentScope;
  readonly result: FunctionResult;
  /** Ours, not HL7's. */
  readonly isAdded: boolean;
  /** How it is written: `where(criterion)`. */
  readonly usage: string;
  readonly docs: string;
};

/** The functions that take any number of arguments. */
const MOST_ARGUMENTS = 20;

/** Its usage, and what it does. Arguments in `[ ]` are optional; `…` is more of the same. */
const OUTSIDE_ARGUMENTS: Readonly<Record<string, FunctionResult>> = {
  'empty() · true if there is nothing': 'boolean',
  'not() · false for true, true for false': 'boolean',
  'allTrue() · true if every item is true': 'boolean',
  'anyTrue() · true if an item is true': 'boolean',
  'allFalse() · true if every item is false': 'boolean',
  'anyFalse() · true if an item is false': 'boolean',
  'subsetOf(other) · true if every item is also in the other collection': 'boolean',
  'supersetOf(other) · true if every item of the other collection is here': 'boolean',
  'isDistinct() · true if no item is there twice': 'boolean',
  'count() · how many items there are': 'integer',
  'distinct() · each item once': 'same',
  'single() · the only item; several are an error': 'same',
  'first() · the first item': 'same',
  'last() · the last item': 'same',
  'tail() · all items but the first': 'same',
  'skip(count) · all items but the first few': 'same',
  'take(count) · the first few items': 'same',
  'intersect(other) · the items that are in both, each once': 'same',
  'exclude(other) · the items that are not in the other collection': 'same',
  'union(other) · the items of both, each once': 'same',
  'combine(other) · the items of both, one after another': 'same',
  'coalesce(value[, …]) · the first of the values that is not empty': 'argument',
  'children() · all elements directly below': 'unknown',
  'descendants() · all elements below, at every level': 'unknown',
  'extension(url) · the extensions with this URL': 'Extension',
  'hasValue() · true for a single text, number or truth value': 'boolean',
  'getValue() · the single text, number or truth value': 'same',
  'type() · the type, as {namespace, name}': 'unknown',
  'toBoolean() · true or false from a text or number': 'boolean',
  'toInteger() · a whole number from a text': 'integer',
  'toDecimal() · a number from a text': 'number',
  'toString() · a text from a number, a truth value, a date': 'string',
  'toDate() · a date from a text or dateTime': 'date',
  'toDateTime() · a dateTime from a text or date': 'dateTime',
  'toTime() · a time of day from a text': 'time',
  'toQuantity([unit]) · a quantity from a number or text': 'quantity',
  'convertsToBoolean() · true if toBoolean() gives something': 'boolean',
  'convertsToInteger() · true if toInteger() gives something': 'boolean',
  'convertsToDecimal() · true if toDecimal() gives something': 'boolean',
  'convertsToString() · true if toString() gives something': 'boolean',
  'convertsToDate() · true if toDate() gives something': 'boolean',
  'convertsToDateTime() · true if toDateTime() gives something': 'boolean',
  'convertsToTime() · true if toTime() gives something': 'boolean',
  'convertsToQuantity([unit]) · true if toQuantity() gives something': 'boolean',
  'indexOf(text) · where the text begins, from 0, or -1': 'integer',
  'lastIndexOf(text) · where the text begins for the last time, or -1': 'integer',
  'substring(start[, length]) · a part of the text, from 0': 'string',
  'startsWith(text) · true if the text begins so': 'boolean',
  'endsWith(text) · true if the text ends so': 'boolean',
  'contains(text) · true if the text is in it': 'boolean',
  'upper() · in capitals': 'string',
  'lower() · in small letters': 'string',
  'replace(text, by) · every such text replaced by another': 'string',
  'length() · how many characters the text has': 'integer',
  'toChars() · the characters, one by one': 'strings',
  'join([separator]) · all texts as one, with the separator between them': 'string',
  'split(separator) · the parts between the separators': 'strings',
  'trim() · without white space at both ends': 'string',
  "encode(format) · as 'base64', 'urlbase64' or 'hex'": 'string',
  "decode(format) · from 'base64', 'urlbase64' or 'hex'": 'string',
  "escape(format) · fit for 'html' or 'json'": 'string',
  "unescape(format) · back from 'html' or 'json'": 'string',
  'abs() · without its sign': 'number',
  'ceiling() · the next whole number above': 'integer',
  'floor() · the next whole number below': 'integer',
  'truncate() · without the decimal places': 'integer',
  'round([digits]) · rounded to so many digits behind the point': 'number',
  'sqrt() · the square root': 'number',
  'exp() · e to this power': 'number',
  'ln() · the natural logarithm': 'number',
  'log(base) · the logarithm to this base': 'number',
  'power(exponent) · this number to a power': 'number',
  'sum() · all items added up': 'number',
  'min() · the smallest item': 'same',
  'max() · the largest item': 'same',
  'avg() · the mean of all items': 'number',
};

const ITEM_ARGUMENTS: Readonly<Record<string, FunctionResult>> = {
  'exists([criterion]) · true if there is something, or something that fits': 'boolean',
  'all(criterion) · true if every item fits': 'boolean',
  'where(criterion) · the items that fit': 'same',
  'select(projection) · what the projection gives for each item': 'argument',
  'repeat(path) · what the path gives for each item, again and again until nothing new comes': 'argument',
  'aggregate(aggregator[, start]) · one value out of all items: $this is the item, $total the value so far': 'argument',
};

const ITEMS_ARGUMENTS: Readonly<Record<string, FunctionResult>> = {
  'iif(criterion, then[, otherwise]) · the second if the first is true, else the third': 'argument',
};

const ADDED: Readonly<Record<string, FunctionResult>> = {
  'xhtml() · texts or sections of %note as a narrative, escaped; an empty line begins a paragraph': 'string',
  'base64() · the bytes of a text (UTF-8) in base64': 'string',
  'hash() · the SHA-256 of a text, in hexadecimal': 'string',
  "reference() · a Reference to a document of the set ('device'), a resource, or 'Patient/1'": 'Reference',
  'code(table) · the Coding that a table of %codes has for a key': 'Coding',
  'percent() · 0 to 1 as 0 to 100, with at most two digits behind the point': 'number',
  'instant() · a time as an instant, with seconds and offset': 'dateTime',
  'ageYears() · how old a Patient is, in whole years, when the results are made': 'integer',
};

export const FUNCTIONS: ReadonlyMap<string, FunctionInfo> = new Map([
  ...entries(OUTSIDE_ARGUMENTS, { scope: 'outside', isAdded: false }),
  ...entries(ITEM_ARGUMENTS, { scope: 'item', isAdded: false }),
  ...entries(ITEMS_ARGUMENTS, { scope: 'items', isAdded: false }),
  ...entries(ADDED, { scope: 'outside', isAdded: true }),
]);

/** The argument of these is a type, not a value; `is` and `as` are operators as well. */
export const TYPE_FUNCTIONS: ReadonlyMap<string, Pick<FunctionInfo, 'usage' | 'docs'>> = new Map([
  ['is', { usage: 'is(type)', docs: 'true if the item is of this type' }],
  ['as', { usage: 'as(type)', docs: 'the item, if it is of this type' }],
  ['ofType', { usage: 'ofType(type)', docs: 'the items of this type: value.ofType(Quantity)' }],
]);

const PATTERN = 'a pattern can keep the engine busy for ever: use contains(), startsWith() or replace()';
const CLOCK = 'a mapping gives the same result every time: use %run.time';
const NETWORK = 'a mapping reads nothing from outside';
const NOT_SUPPORTED = 'it is not supported here';

/** Why these are refused. */
export const REFUSED_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ...each('matches matchesFull replaceMatches', PATTERN),
  ...each('now today timeOfDay', CLOCK),
  ...each('resolve memberOf conformsTo subsumes subsumedBy elementDefinition slice checkModifiers htmlChecks', NETWORK),
  ...each('trace', 'it would write patient data to the log'),
  ...each('defineVariable', 'name a value with {% assign %}'),
  ...each(
    'lowBoundary highBoundary comparable precision sort toLong convertsToLong weight ordinal pathname',
    NOT_SUPPORTED,
  ),
  ...each('yearOf monthOf dayOf hourOf minuteOf secondOf millisecondOf timezoneOffsetOf dateOf timeOf', NOT_SUPPORTED),
]);

function each(names: string, reason: string): readonly (readonly [string, string])[] {
  return names.split(' ').map((name) => [name, reason]);
}

type Shared = Pick<FunctionInfo, 'scope' | 'isAdded'>;

function entries(lines: Readonly<Record<string, FunctionResult>>, shared: Shared): [string, FunctionInfo][] {
  return Object.entries(lines).map(([line, result]) => {
    const [usage = '', docs = ''] = line.split(' · ');
    const [name = '', inBrackets = ''] = usage.replace(/\)$/, '').split('(');
    const [needed = ''] = inBrackets.split('[');
    const all = inBrackets.split(',').filter((word) => /\w/.test(word));
    const minArguments = needed.split(',').filter((word) => /\w/.test(word)).length;
    const maxArguments = inBrackets.includes('…') ? MOST_ARGUMENTS : all.length;
    return [name, { ...shared, minArguments, maxArguments, result, usage, docs }];
  });
}
