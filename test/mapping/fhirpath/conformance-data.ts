// Made-up resources and values on which expressions are tried.

export const PATIENT = {
  resourceType: 'Patient',
  id: 'p1',
  active: true,
  name: [
    { use: 'official', family: 'Rossi', given: ['Ana', 'Bea'] },
    { use: 'usual', given: ['Annie'] },
  ],
  telecom: [
    { system: 'phone', value: '123', rank: 1 },
    { system: 'email', value: 'a@b.c' },
  ],
  birthDate: '1980-05-17',
  _birthDate: { extension: [{ url: 'http://x/time', valueDateTime: '1980-05-17T10:00:00Z' }] },
  multipleBirthInteger: 2,
  address: [{ line: ['A 1', 'B 2'], city: 'Rome' }],
  extension: [
    { url: 'http://x/a', valueString: 'one' },
    { url: 'http://x/b', extension: [{ url: 'c', valueDecimal: 1.5 }] },
  ],
  contact: [{ name: { family: 'Bianchi' }, telecom: [{ value: '999' }] }],
};

export const OBSERVATION = {
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '29463-7', display: 'Weight' }], text: 'Body weight' },
  valueQuantity: { value: 72.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
  component: [
    { code: { text: 'a' }, valueString: 'x' },
    { code: { text: 'b' }, valueQuantity: { value: 2, unit: 'mg', code: 'mg', system: 'http://unitsofmeasure.org' } },
  ],
  effectiveDateTime: '2026-11-21T09:30:00+01:00',
};

export const PLAIN_DATA = {
  a: 1,
  b: 2.5,
  s: 'Hello World',
  t: true,
  f: false,
  list: [3, 1, 2, 3],
  mix: [1, 'a', true],
  empty: [],
  nested: { deep: { deeper: ['x', 'y'] } },
  objs: [
    { k: 'a', n: 1, tags: ['p', 'q'] },
    { k: 'b', n: 2 },
    { k: 'a', n: 3 },
  ],
  bools: [true, false, true],
  tree: { v: 1, item: [{ v: 2, item: [{ v: 3 }] }, { v: 4 }] },
  date: '2020-01-15',
  dt: '2020-01-15T10:30:00Z',
  nulls: [null, 1, null, 2],
  zero: 0,
  es: '',
  choice: { valueString: 'x' },
};
