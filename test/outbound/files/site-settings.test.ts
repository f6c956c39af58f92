// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how settings name secrets
import { describe, expect, it } from '@jest/globals';
import type { SiteSettings } from '../../../src/domain/site/site.ts';
import { parseSource } from '../../../src/mapping/mapping.ts';
import { filesNeeded, hasEhr, readSiteSettings } from '../../../src/outbound/files/site-settings.ts';
import type { SecretFile } from '../../../src/outbound/files/substitution.ts';

const ENVIRONMENT = {
  MERCY_SECRET: 'swordfish',
  EMPTY: '',
  WRITES: '7',
  LEAST: '0.3',
  REGION: 'ES',
  EHR: 'https://swordfish.example.org/fhir',
};
const FILES: ReadonlyMap<string, SecretFile> = new Map([
  ['key.pem', { text: 'swordfish-key' }],
  ['gone.pem', { message: 'it is not there' }],
]);

/** The files of the site and its parents, nearest first. */
function read(...texts: readonly string[]) {
  const trees = texts.map((text, index) => {
    const file = `mappings/${['mercy', 'profiles/us-core', 'base'][index]}/site.yaml`;
    const { root, problems } = parseSource({ file, text });
    if (root?.kind !== 'map') throw new Error(`the test's own file is wrong: ${JSON.stringify(problems)}`);
    return root;
  });
  const secrets = { environment: ENVIRONMENT, files: FILES };
  return { trees, ...readSiteSettings({ name: 'mercy', file: 'mappings/mercy/site.yaml', trees, secrets }) };
}

function settingsOf(...texts: readonly string[]): SiteSettings {
  const { settings, problems } = read(...texts);
  expect(problems).toEqual([]);
  if (settings === undefined) throw new Error('no settings');
  return settings;
}

function problemsOf(...texts: readonly string[]): readonly string[] {
  const { settings, problems } = read(...texts);
  expect(settings === undefined).toBe(problems.length > 0);
  return problems.map(({ place, message }) => `${place.file.slice(9, -10)}:${place.line}:${place.column}: ${message}`);
}

const EHR = 'ehr: { baseUrl: https://ehr.example.org/fhir }\n';

describe('The settings of a site', () => {
  it('need only the address of the EHR', () => {
    expect(settingsOf(EHR)).toEqual({
      mode: 'shadow',
      timeZone: 'UTC',
      pilot: { practitioners: [], locations: [], services: [] },
      identifiers: {},
      ehr: {
        baseUrl: 'https://ehr.example.org/fhir',
        auth: { type: 'none' },
        maxConcurrentWrites: 2,
        headers: {},
      },
      events: {},
      trigger: "status = 'finished'",
      recording: {
        from: ['DocumentReference', 'Media'],
        group: 'encounter',
        settleMs: 5000,
        waitMs: 7_200_000,
        late: 'new-session',
        minSeconds: 5,
        maxHours: 4,
        origins: [],
      },
      language: { speech: 'en', note: 'en', unsupported: 'hold' },
      noteType: { default: 'PROGRESS_NOTE', EMER: 'ED_NOTE' },
      consent: { recording: 'opt-out', unknown: 'proceed' },
      sensitive: [],
      engines: { allow: ['vendor'] },
      check: { maxUnsupported: { drug: 0, dose: 0, allergy: 0, number: 2, attestation: 0 } },
      write: {
        note: ['composition', 'document-reference'],
        diagnosis: ['condition', 'risk-assessment', 'flag'],
        provenance: true,
        conditions: 'likely',
        probability: 'number',
        differential: 'resources',
        review: 'preliminary',
      },
      upload: { identityCheck: 'on' },
      review: { by: 'task' },
      codes: { diagnosis: 'icd-10' },
    });
  });

  it('have all values of the documented example', () => {
    const settings = settingsOf(`
organization: mercy-general
mode: shadow
timeZone: America/Chicago
pilot: { practitioners: [Practitioner/7], locations: [], services: [] }
identifiers: { mrn: "urn:oid:1.2.3", visit: "urn:oid:1.2.4" }
ehr:
  baseUrl: https://ehr.example.org/fhir/R4/
  auth: { type: client-credentials, clientId: chartwright, clientSecret: "\${MERCY_SECRET}" }
  organization: Organization/1
  maxConcurrentWrites: "\${WRITES}"
  headers: { X-Tenant: mercy }
events:
  amqp: { exchange: ehr.events, bindings: ["encounter.#"] }
  subscription: { kind: rest-hook, criteria: "Encounter?status=finished", secret: "\${MERCY_SECRET}" }
  push: { secret: "a-\${MERCY_SECRET}-z" }
  poll: { query: "Encounter?_lastUpdated=gt{since}", every: 60s }
  expect: { atLeastOne: 2h, during: "Mon-Fri 07:00-19:00" }
recording: { group: "gap:30m" }
sensitive: [ { when: "%patient.ageYears() in (12..17)", then: hold } ]
engines: { allow: [vendor], reasoner: "model@version" }
review: { by: task, remindAfter: 24h, escalateAfter: 3d }
attention: { after: 10m, to: [amqp] }
privacy: { to: privacy@mercy.example }
audit: { toEhr: true }
`);
    expect(settings.ehr).toEqual({
      baseUrl: 'https://ehr.example.org/fhir/R4',
      auth: { type: 'client-credentials', clientId: 'chartwright', clientSecret: 'swordfish' },
      organization: 'Organization/1',
      maxConcurrentWrites: 7,
      headers: { 'X-Tenant': 'mercy' },
    });
    expect(settings.events).toEqual({
      amqp: { exchange: 'ehr.events', bindings: ['encounter.#'] },
      subscription: { kind: 'rest-hook', criteria: 'Encounter?status=finished', secret: 'swordfish' },
      push: { secret: 'a-swordfish-z' },
      poll: { query: 'Encounter?_lastUpdated=gt{since}', everyMs: 60_000 },
      expect: { atLeastOneMs: 7_200_000, during: 'Mon-Fri 07:00-19:00' },
    });
    expect(settings.recording).toMatchObject({ group: 'gap:30m', settleMs: 5000 });
    // biome-ignore lint/suspicious/noThenProperty: the setting has this name, and no code awaits it
    expect(settings.sensitive).toEqual([{ when: '%patient.ageYears() in (12..17)', then: 'hold' }]);
    expect(settings.review).toEqual({ by: 'task', remindAfterMs: 86_400_000, escalateAfterMs: 259_200_000 });
    expect(settings.attention).toEqual({ afterMs: 600_000, to: ['amqp'] });
    expect(settings.privacy).toEqual({ to: 'privacy@mercy.example' });
    expect(settings.audit).toEqual({ toEhr: true });
    expect(settings).toMatchObject({ organization: 'mercy-general', mode: 'shadow', timeZone: 'America/Chicago' });
  });

  it.each([
    ['US', 'icd-10-cm'],
    ['ES', 'icd-10-es'],
    ['BR', 'icd-10'],
    ['NO', 'icd-10'],
    ['"${REGION}"', 'icd-10-es'],
  ])('name diseases by the edition of the region %s', (region, diagnosis) => {
    expect(settingsOf(`region: ${region}`).codes).toEqual({ diagnosis });
  });

  it('name diseases by another edition than that of the region if they say so', () => {
    const both = (own: string, inherited: string) => settingsOf(own, inherited).codes.diagnosis;
    expect(both('region: US', 'codes: { diagnosis: icd-10 }')).toBe('icd-10');
    expect(both('codes: { diagnosis: none }', 'region: US')).toBe('none');
    expect(both('codes: { diagnosis: }', 'region: ES\ncodes: { diagnosis: icd-10 }')).toBe('icd-10-es');
    expect(both('region:', 'region: US')).toBe('icd-10');
    expect(both('region: ES', 'region: US')).toBe('icd-10-es');
  });

  it.each([
    ['none', 'type: none', { type: 'none' }],
    ['basic', 'type: basic, username: u, password: p', { type: 'basic', username: 'u', password: 'p' }],
    ['bearer', 'type: bearer, token: t', { type: 'bearer', token: 't' }],
    [
      'backend-services',
      'type: backend-services, clientId: c, privateKey: "${file:key.pem}", tokenUrl: "https://a.example.org/t?x=1"',
      { type: 'backend-services', clientId: 'c', privateKey: 'swordfish-key', tokenUrl: 'https://a.example.org/t?x=1' },
    ],
  ])('allow authentication by %s', (_title, auth, expected) => {
    expect(settingsOf(`ehr: { baseUrl: https://ehr.example.org, auth: { ${auth} } }`).ehr?.auth).toEqual(expected);
  });

  it('accept one word for the language of speech and note', () => {
    expect(settingsOf('language: es').language).toEqual({ speech: 'es', note: 'es', unsupported: 'hold' });
    expect(settingsOf('language: { note: pt }', 'language: es').language).toMatchObject({ speech: 'es', note: 'pt' });
    const byPatient = 'language: { speech: detect, note: "%patient.language.first()" }';
    expect(settingsOf(byPatient).language).toMatchObject({ speech: 'detect', note: '%patient.language.first()' });
  });

  it('accept constants or FHIRPath for consent and note type', () => {
    const text = `
consent: { recording: "%patient.extension.exists()" }
noteType: { "%encounter.type.exists()": SOAP, AMB: knee-clinic.md }
`;
    expect(settingsOf(text)).toMatchObject({
      consent: { recording: '%patient.extension.exists()' },
      noteType: {
        default: 'PROGRESS_NOTE',
        EMER: 'ED_NOTE',
        AMB: 'knee-clinic.md',
        '%encounter.type.exists()': 'SOAP',
      },
    });
  });

  it('may remind and escalate at the same time, or do only one of both', () => {
    const reviewOf = (text: string) => settingsOf(`review: ${text}`).review;
    expect(reviewOf('{ remindAfter: 1d, escalateAfter: 24h }')).toMatchObject({ escalateAfterMs: 86_400_000 });
    expect(reviewOf('{ escalateAfter: 2d }')).toEqual({ by: 'task', escalateAfterMs: 172_800_000 });
  });

  it.each([
    ['likely', 'likely'],
    ['always', 'always'],
    ['accepted', 'accepted'],
    ['{ least: 0.25, most: 3 }', { least: 0.25, most: 3 }],
    ['{ least: 0.25 }', { least: 0.25, most: 5 }],
    ['{ most: 2 }', { least: 0.1, most: 2 }],
    ['{ least: 0, most: 100 }', { least: 0, most: 100 }],
    ['{}', { least: 0.1, most: 5 }],
    ['{ least: "${LEAST}" }', { least: 0.3, most: 5 }],
  ])('may choose the Conditions by write.conditions: %s', (conditions, expected) => {
    expect(settingsOf(`write: { conditions: ${conditions} }`).write.conditions).toEqual(expected);
  });

  it.each([
    ['true', true],
    ['false', false],
    ['document', true],
    ['section', 'section'],
    ['statement', 'statement'],
  ])('may choose of what there is a Provenance by write.provenance: %s', (provenance, expected) => {
    expect(settingsOf(`write: { provenance: ${provenance} }`).write.provenance).toBe(expected);
  });

  it('may allow final notes without review if a person takes the responsibility', () => {
    const text = `
write:
  review: final
  diagnosis: []
  signedWithoutReview: { acceptedBy: A. Chief, role: CMO, date: 2026-11-21, until: 2027-11-21, reason: trial }
`;
    expect(settingsOf(text).write).toMatchObject({ review: 'final', diagnosis: [] });
  });
});

describe('Inherited settings', () => {
  it('are replaced key by key, and lists as a whole', () => {
    const settings = settingsOf(
      'write: { note: [composition] }',
      'mode: shadow\nwrite: { review: hold, note: [document-reference] }',
      'mode: live\nwrite: { review: preliminary, probability: band, diagnosis: [condition] }',
    );
    expect(settings.mode).toBe('shadow');
    expect(settings.write).toMatchObject({
      note: ['composition'],
      review: 'hold',
      probability: 'band',
      diagnosis: ['condition'],
      conditions: 'likely',
    });
  });

  it('of write.conditions are replaced by a word, and limits key by key', () => {
    const conditionsOf = (...texts: readonly string[]) =>
      settingsOf(...texts.map((text) => `write: { conditions: ${text} }`)).write.conditions;
    expect(conditionsOf('accepted', '{ most: 2 }')).toBe('accepted');
    expect(conditionsOf('{ most: 2 }', 'accepted')).toEqual({ least: 0.1, most: 2 });
    expect(conditionsOf('{ most: 2 }', '{ least: 0.2, most: 9 }')).toEqual({ least: 0.2, most: 2 });
  });

  it('are dropped if the site authenticates in another way', () => {
    const inherited = 'ehr: { auth: { type: basic, username: u, password: p }, maxConcurrentWrites: 5 }';
    const own = 'ehr: { baseUrl: https://ehr.example.org, auth: { type: bearer, token: t } }';
    expect(settingsOf(own, inherited).ehr).toMatchObject({
      auth: { type: 'bearer', token: 't' },
      maxConcurrentWrites: 5,
    });
    const same = 'ehr: { baseUrl: https://ehr.example.org, auth: { type: basic, password: mine } }';
    expect(settingsOf(same, inherited).ehr?.auth).toEqual({ type: 'basic', username: 'u', password: 'mine' });
  });

  it('are removed by a key without a value if the engine has no default', () => {
    const inherited = 'attention: { after: 10m, to: [amqp] }\nnoteType: { AMB: SOAP }\nidentifiers: { mrn: "urn:x:y" }';
    const settings = settingsOf('attention:\nnoteType: { AMB: }\nidentifiers: { mrn: }\n', inherited);
    expect(settings.attention).toBeUndefined();
    expect(settings.noteType).toEqual({ default: 'PROGRESS_NOTE', EMER: 'ED_NOTE' });
    expect(settings.identifiers).toEqual({});
  });

  it.each([
    ['the mode', 'mode:', ['1:1: mode']],
    ['the mode, with a comment', 'mode: # shadow', ['1:1: mode']],
    ['the mode, as ~', 'mode: ~', ['1:1: mode']],
    ['the consent if the chart has none', 'consent: { unknown: }', ['1:12: consent.unknown']],
    ['when conditions are written', 'write:\n  conditions:\n', ['2:3: write.conditions']],
    ['a group with only a comment', 'write:\n  # review: hold\n', ['1:1: write']],
    ['a setting three levels deep', 'check: { maxUnsupported: { drug: } }', ['1:28: check.maxUnsupported.drug']],
    ['a list', 'pilot: { services: }\nsensitive:', ['1:10: pilot.services', '2:1: sensitive']],
    ['a group without defaults', 'events:', ['1:1: events']],
    ['the language', 'language:', ['1:1: language']],
    ['a note type', 'noteType: { EMER: }', ['1:13: noteType.EMER']],
  ])('do not fall back to the default of the engine if a value is missing: %s', (_title, text, places) => {
    const inherited =
      'mode: shadow\nconsent: { unknown: hold }\nwrite: { conditions: accepted, review: hold }\npilot: { services: [x] }';
    expect(problemsOf(text, inherited)).toEqual(
      places.map((place) => `mercy:${place} has no value: write one, or take the line away to inherit it`),
    );
  });

  it('without a value are a problem of the file that contains them', () => {
    expect(problemsOf('timeZone: UTC', 'mode:')).toEqual([
      'profiles/us-core:1:1: mode has no value: write one, or take the line away to inherit it',
    ]);
  });

  it('have their problems in the file that contains them', () => {
    expect(problemsOf('mode: live', 'write: { review: finnal }', 'timeZone: Mars')).toEqual([
      'profiles/us-core:1:18: write.review is one of preliminary, hold, final; did you mean final?',
      'base:1:11: timeZone is a time zone of the IANA list, as in America/Chicago',
    ]);
  });

  it('make a folder a site only with the address of an EHR', () => {
    expect(hasEhr(read(EHR).trees)).toBe(true);
    expect(hasEhr(read('mode: live', EHR).trees)).toBe(true);
    expect(hasEhr(read('ehr: { maxConcurrentWrites: 2 }', 'mode: live').trees)).toBe(false);
    expect(hasEhr(read('ehr: { baseUrl: }').trees)).toBe(false);
    expect(settingsOf('ehr: { maxConcurrentWrites: 2 }').ehr).toBeUndefined();
  });
});

describe('Invalid settings', () => {
  it.each([
    ['a key is misspelt', 'tigger: x', ['1:1: tigger is no setting; did you mean trigger?']],
    ['a key below is misspelt', 'write:\n  reveiw: hold', ['2:3: write.reveiw is no setting; did you mean review?']],
    ['a key is unknown', 'frobnicate: 1', ['1:1: frobnicate is no setting']],
    ['a key is at the wrong depth', 'auth: { type: none }', ['1:1: auth is no setting; it belongs to ehr.auth']],
    [
      'a key is in the wrong group',
      'events: { mrn: "urn:oid:1.2" }',
      ['1:11: events.mrn is no setting; it belongs to identifiers.mrn'],
    ],
    [
      'a setting of the whole engine is in a site',
      'retention: 7d',
      [
        '1:1: retention is no setting; how long data is stored is set for the whole engine, by the environment: RETENTION_AUDIO_HOURS, RETENTION_RESULTS_DAYS, RETENTION_HELD_DAYS, RETENTION_ASIDE_DAYS, RETENTION_EVENTS_DAYS',
      ],
    ],
    [
      'a note type has another name in the hospital',
      'noteType: { EMER: EMERGENCY }',
      [
        '1:19: noteType.EMER is a note type, a template, or a file with a custom template beside site.yaml, as in knee-clinic.md; did you mean ED_NOTE?',
      ],
    ],
    ['a word is not in the list', 'mode: shaddow', ['1:7: mode is one of off, shadow, live; did you mean shadow?']],
    ['a boolean is given for a word', 'mode: true', ['1:7: mode is one of off, shadow, live; write it in quotes']],
    [
      'a group is a text',
      'write: hold',
      [
        '1:8: write is a group of settings: note, diagnosis, provenance, conditions, probability, differential, review, signedWithoutReview',
      ],
    ],
    ['a list is a text', 'write: { note: composition }', ['1:16: write.note is a list, as in [one, another]']],
    [
      'an item of a list is wrong',
      'recording: { from: [Media, Documents] }',
      ['1:28: recording.from[1] is one of DocumentReference, Media'],
    ],
    [
      'a duration has no unit',
      'recording: { settle: 5 }',
      ['1:22: recording.settle is a duration like 500ms, 60s, 5m, 2h or 1d; write it in quotes'],
    ],
    [
      'a duration is invalid',
      'recording: { wait: soon }',
      ['1:20: recording.wait is a duration like 500ms, 60s, 5m, 2h or 1d'],
    ],
    [
      'a duration is longer than a year',
      'recording: { wait: 367d }',
      ['1:20: recording.wait is a duration like 500ms, 60s, 5m, 2h or 1d'],
    ],
    [
      'the poll interval is too short',
      'events: { poll: { query: q, every: 10ms } }',
      ['1:36: events.poll.every is 1s or more'],
    ],
    [
      'a number has a fraction',
      'recording: { minSeconds: 1.5 }',
      ['1:26: recording.minSeconds is a whole number from 0 to 3600'],
    ],
    [
      'a number is too large',
      'recording: { maxHours: 25 }',
      ['1:24: recording.maxHours is a whole number from 1 to 24'],
    ],
    ['a number is a text', 'recording: { maxHours: "4" }', ['1:24: recording.maxHours is a whole number from 1 to 24']],
    ...[
      ['in small letters', 'es', '; did you mean ES?'],
      ['a code that is not current', 'UK', '; did you mean GB?'],
      ['a name', 'Spain', ''],
      ['a code of three letters', 'USA', ''],
      ['no country', 'QQ', ''],
    ].map(
      ([what, value, hint]) =>
        [
          `the region is ${what}`,
          `region: ${value}`,
          [`1:9: region is a country by its two capital letters in ISO 3166, as in US or ES${hint}`],
        ] as const,
    ),
    ...[
      ['a word that does not exist', 'likly', 'is one of likely, always, accepted; did you mean likely?'],
      ['a list', '[likely]', 'is likely, always, accepted, or limits, as in { least: 0.1, most: 5 }'],
      ['a number', '0.1', 'is likely, always, accepted, or limits, as in { least: 0.1, most: 5 }'],
    ].map(
      ([what, value, message]) =>
        [`conditions are ${what}`, `write: { conditions: ${value} }`, [`1:22: write.conditions ${message}`]] as const,
    ),
    [
      'limits of conditions are misspelt',
      'write: { conditions: { leest: 0.1 } }',
      ['1:24: write.conditions.leest is no setting; did you mean least?'],
    ],
    ...['10', '-0.1', '1.01', '"0.1"', '10%', '"${WRITES}"'].map(
      (least) =>
        [
          `the least probability is ${least}`,
          `write: { conditions: { least: ${least} } }`,
          ['1:31: write.conditions.least is a number from 0 to 1, as in 0.1'],
        ] as const,
    ),
    ...['0', '101', '2.5', 'all'].map(
      (most) =>
        [
          `the number of conditions is ${most}`,
          `write: { conditions: { most: ${most} } }`,
          ['1:30: write.conditions.most is a whole number from 1 to 100'],
        ] as const,
    ),
    [
      'a boolean is a text',
      'write: { provenance: "yes" }',
      ['1:22: write.provenance is true, false, document, section or statement'],
    ],
    [
      'a Provenance is of something else',
      'write: { provenance: sections }',
      ['1:22: write.provenance is true, false, document, section or statement; did you mean section?'],
    ],
    [
      'a Provenance is a list',
      'write: { provenance: [section] }',
      ['1:22: write.provenance is true, false, document, section or statement'],
    ],
    ['a text is a number', 'organization: 42', ['1:15: organization is a text; write it in quotes']],
    ['a text is empty', 'organization: ""', ['1:15: organization is empty']],
    [
      'a gap is not a duration',
      'recording: { group: "gap:soon" }',
      [
        '1:21: recording.group is encounter, recording, or gap: with a duration like 500ms, 60s, 5m, 2h or 1d, as in gap:30m',
      ],
    ],
    [
      'a time zone does not exist',
      'timeZone: America/Chicgo',
      ['1:11: timeZone is a time zone of the IANA list, as in America/Chicago; did you mean America/Chicago?'],
    ],
    [
      'a time zone is an offset',
      'timeZone: "+01:00"',
      ['1:11: timeZone is a time zone of the IANA list, as in America/Chicago'],
    ],
    [
      'times of the day are invalid',
      'events: { expect: { atLeastOne: 2h, during: "Mon-Fri 7-19" } }',
      ['1:45: events.expect.during is days and times, as in Mon-Fri 07:00-19:00'],
    ],
    [
      'a poll would search for all encounters of all time',
      'events: { poll: { query: "Encounter?status=finished", every: 60s } }',
      [
        '1:26: events.poll.query has no {since}, the moment of the last search: add it, as in Encounter?_lastUpdated=gt{since}',
      ],
    ],
    [
      'a poll searches for something else',
      'events: { poll: { query: "Patient?_lastUpdated=gt{since}", every: 60s } }',
      ['1:26: events.poll.query begins with Encounter?, as in Encounter?_lastUpdated=gt{since}'],
    ],
    ['a needed key is missing', 'events: { poll: { query: q } }', ['1:17: events.poll.every is missing']],
    [
      'an identifier is not a URI',
      'identifiers: { mrn: MRN }',
      ['1:21: identifiers.mrn is a URI, as in urn:oid:1.2.3'],
    ],
    [
      'a reference is invalid',
      'ehr: { organization: Patient/1 }',
      ['1:22: ehr.organization is a reference, as in Organization/1'],
    ],
    [
      'the name of a header is invalid',
      'ehr: { headers: { "X Y": a } }',
      ['1:20: ehr.headers: X Y is no name of an HTTP header'],
    ],
    [
      'a header contains line breaks',
      'ehr: { headers: { X-Y: "a\\r\\nb" } }',
      ['1:24: ehr.headers.X-Y is text without line breaks'],
    ],
    [
      'the type of authentication is missing',
      'ehr: { auth: { token: t } }',
      ['1:14: ehr.auth.type is missing: one of none, basic, bearer, client-credentials, backend-services'],
    ],
    [
      'the type of authentication is unknown',
      'ehr: { auth: { type: oauth } }',
      ['1:22: ehr.auth.type is one of none, basic, bearer, client-credentials, backend-services'],
    ],
    [
      'a key belongs to another type of authentication',
      'ehr: { auth: { type: bearer, token: t, password: p } }',
      ['1:40: ehr.auth.password is no setting'],
    ],
    [
      'the authentication lacks a key',
      'ehr: { auth: { type: basic, username: u } }',
      ['1:14: ehr.auth.password is missing'],
    ],
    [
      'a note type is not known',
      'noteType: { AMB: PROGRES_NOTE }',
      [
        '1:18: noteType.AMB is a note type, a template, or a file with a custom template beside site.yaml, as in knee-clinic.md; did you mean PROGRESS_NOTE?',
      ],
    ],
    [
      'a template is in another folder',
      'noteType: { AMB: ../knee.md }',
      [
        '1:18: noteType.AMB is a note type, a template, or a file with a custom template beside site.yaml, as in knee-clinic.md',
      ],
    ],
    [
      'the name of a document is invalid',
      'write: { note: ["../x"] }',
      ['1:17: write.note[0] is the name of a mapping, as in composition'],
    ],
    [
      'a document is named by its FHIR type',
      'write: { note: [DocumentReference] }',
      ['1:17: write.note[0] is the name of a mapping, as in composition; did you mean document-reference?'],
    ],
    [
      'a document is named by its file',
      'write: { note: [document-reference.yaml] }',
      ['1:17: write.note[0] is the name of a mapping, as in composition; did you mean document-reference?'],
    ],
    [
      'the notice is named',
      'write: { note: [composition, notice], diagnosis: [notice] }',
      [
        '1:30: notice is made by itself, before the others: take it out',
        '1:51: notice is made by itself, before the others: take it out',
      ],
    ],
    [
      'a document is named twice',
      'write: { note: [composition], diagnosis: [flag, composition] }',
      ['1:49: composition is named twice in write; it is made once'],
    ],
    [
      'no engine is allowed',
      'engines: { allow: [] }',
      ['1:19: engines.allow is empty: no run could ever start; mode: off says that'],
    ],
    [
      'the escalation would come before the reminder',
      'review: { by: task, remindAfter: 3d, escalateAfter: 24h }',
      ['1:53: review.escalateAfter is shorter than review.remindAfter: it is what comes after it'],
    ],
    [
      'attention has an unknown channel',
      'attention: { after: 10m, to: [amqp, task] }',
      ['1:37: attention.to[1] is one of amqp'],
    ],
    [
      'attention has no channel',
      'attention: { after: 10m, to: [] }',
      ['1:30: attention.to is empty, so no one would be notified; remove attention to send no notifications'],
    ],
    ...['privacy', 'http://mercy.example/secret', 'a@b@c'].map((to): [string, string, string[]] => [
      `the privacy address is ${to}`,
      `privacy: { to: "${to}" }`,
      ['1:16: privacy.to is a mail address, or an address that begins with https://'],
    ]),
    [
      'a kind of statement is not known',
      'check: { maxUnsupported: { drugs: 0 } }',
      ['1:28: check.maxUnsupported.drugs is no setting; did you mean drug?'],
    ],
    ['extends is a list', 'extends: [base]', ['1:10: extends is a text']],
  ])('are refused with their place if %s', (_title, text, expected) => {
    expect(problemsOf(text)).toEqual(expected.map((problem) => `mercy:${problem}`));
  });
});

describe('Invalid expressions in settings', () => {
  it.each([
    [
      'a variable is not known',
      'sensitive: [{ when: "%patient.active and %encountr.id", then: hold }]',
      '1:42: sensitive[0].when: %encountr is not known here; did you mean %encounter?',
    ],
    [
      'a name has no %',
      'sensitive: [{ when: "active", then: hold }]',
      '1:22: sensitive[0].when: active: names without % are only known inside',
    ],
    [
      'a name in brackets has no %',
      'sensitive: [{ when: "%patient.name[count].exists()", then: hold }]',
      '1:36: sensitive[0].when: count: names without % are only known inside',
    ],
    ['a function is not known', 'trigger: "status.frobnicate()"', '1:18: trigger: '],
    ['an expression is cut', 'trigger: "status = "', '1:'],
    [
      'a constant is misspelt',
      'consent: { recording: optout }',
      '1:23: consent.recording is one of required, opt-out, by-source, or FHIRPath on %encounter and %patient; did you mean opt-out?',
    ],
    [
      'a language is not supported',
      'language: { note: fr }',
      '1:19: language.note is one of en, es, pt, or FHIRPath on %encounter and %patient',
    ],
    [
      'the language of the note is detect',
      'language: { note: detect }',
      '1:19: language.note is one of en, es, pt, or FHIRPath on %encounter and %patient',
    ],
    ['an Encounter has no such member', `trigger: "statsu = 'finished'"`, '1:11: trigger: '],
    [
      'a patient has no such member',
      'sensitive: [{ when: "%patient.ages > 12", then: hold }]',
      '1:22: sensitive[0].when: ',
    ],
    ['an Encounter has no such status', `trigger: "status = 'finishd'"`, '1:18: trigger: '],
    [
      'a trigger is not true or false',
      'trigger: period.end',
      '1:10: trigger: this gives a text, and should give true or false',
    ],
    ['a language is true or false', 'language: { note: "%patient.active" }', '1:20: language.note: this gives '],
    [
      'the expression of a note type is invalid',
      'noteType: { "%encounter.class = %x": SOAP }',
      '1:33: noteType: %x is not known here',
    ],
    [
      'the key of a note type contains a space',
      'noteType: { "emergency room": SOAP }',
      '1:14: noteType: a name with a space is neither a code nor an expression',
    ],
  ])('are refused with their column if %s', (_title, text, expected) => {
    const [problem, ...others] = problemsOf(text);
    expect(others).toEqual([]);
    expect(problem?.slice(0, expected.length + 'mercy:'.length)).toBe(`mercy:${expected}`);
  });

  it('are refused with their place in a text of several lines', () => {
    expect(problemsOf("trigger: >-\n  status = 'finished'\n  and %foo.exists()\n")).toEqual([
      'mercy:3:7: trigger: %foo is not known here',
    ]);
  });

  it('may name elements of the Encounter without % in the trigger, and in others only inside of calls', () => {
    const text = `
trigger: "status = 'finished' and period.end.exists() and %patient.active"
sensitive: [{ when: "%encounter.type.where(text = 'x').exists()", then: skip }]
`;
    expect(problemsOf(text)).toEqual([]);
  });
});

describe('The secrets in settings', () => {
  it.each([
    [
      'a variable is not set',
      'push: { secret: "x-${MERCY_SECRT}" }',
      '1:30: site mercy needs the environment variable MERCY_SECRT (${MERCY_SECRT}), and it is not set',
    ],
    [
      'the variable belongs to the engine',
      'push: { secret: "${MASTER_KEY}" }',
      "1:28: MASTER_KEY is the engine's own: give site mercy a variable of its own",
    ],
    [
      'a variable is empty',
      'push: { secret: "${EMPTY}" }',
      '1:28: site mercy needs the environment variable EMPTY (${EMPTY}), and it is empty',
    ],
    [
      'a variable is named toString',
      'push: { secret: "${toString}" }',
      '1:28: site mercy needs the environment variable toString (${toString}), and it is not set',
    ],
    [
      'a file is missing',
      'push: { secret: "${file:gone.pem}" }',
      '1:28: site mercy needs the file gone.pem (${file:gone.pem}), and it is not there',
    ],
    [
      'a name is invalid',
      'push: { secret: "${MERCY SECRET}" }',
      '1:28: write ${NAME} for a variable of the environment, or ${file:path} for the content of a file',
    ],
    [
      'a brace is not closed',
      'push: { secret: "${MERCY_SECRET" }',
      '1:28: write ${NAME} for a variable of the environment, or ${file:path} for the content of a file',
    ],
    [
      'a file has no name',
      'push: { secret: "${file:}" }',
      '1:28: write ${NAME} for a variable of the environment, or ${file:path} for the content of a file',
    ],
  ])('are refused with site, place and name if %s', (_title, push, expected) => {
    expect(problemsOf(`events: { ${push} }\n${EHR}`)).toEqual([`mercy:${expected}`]);
  });

  it('that an inherited line names are reported missing in its file, for the site', () => {
    expect(problemsOf(EHR, 'events: { push: { secret: "${NOT_SET}" } }')).toEqual([
      'profiles/us-core:1:28: site mercy needs the environment variable NOT_SET (${NOT_SET}), and it is not set',
    ]);
  });

  it('are not required from a folder that is not a site', () => {
    expect(problemsOf('events: { push: { secret: "${NOT_SET}" } }')).toEqual([]);
  });

  it('in files are listed before they are read', () => {
    const { trees } = read('ehr: { tls: { ca: "${file:ca.pem}", key: "${file: key.pem }" }, headers: { A: "${B}" } }');
    expect(filesNeeded(trees)).toEqual(new Set(['ca.pem', 'key.pem']));
  });

  it.each([
    [
      'the address holds a user',
      'ehr: { baseUrl: "https://swordfish:x@ehr.example.org" }',
      '1:17: ehr.baseUrl must not hold a user or a password; ehr.auth is for them',
    ],
    [
      'the address holds a query',
      'ehr: { baseUrl: "https://ehr.example.org/?swordfish" }',
      '1:17: ehr.baseUrl must not have a ? or # part',
    ],
    [
      'the address holds a fragment',
      'ehr: { baseUrl: "https://ehr.example.org/#" }',
      '1:17: ehr.baseUrl must not have a ? or # part',
    ],
    [
      'the address has the scheme file',
      'ehr: { baseUrl: "file:///swordfish" }',
      '1:17: ehr.baseUrl is an address that begins with https:// or http://',
    ],
    [
      'the address is invalid',
      'ehr: { baseUrl: swordfish }',
      '1:17: ehr.baseUrl is an address that begins with https:// or http://',
    ],
    [
      'a secret is given for a word',
      'mode: "${MERCY_SECRET}"\nehr: { baseUrl: "${EHR}" }',
      '1:7: mode is one of off, shadow, live',
    ],
    [
      'a secret is given for a document',
      'write: { note: ["${EHR}"] }\nehr: { baseUrl: "${EHR}" }',
      '1:17: write.note[0] is a name, and is written out here',
    ],
    [
      'a secret is given for a number',
      'ehr: { baseUrl: "${EHR}", maxConcurrentWrites: "${MERCY_SECRET}" }',
      '1:48: ehr.maxConcurrentWrites is a whole number from 1 to 100',
    ],
    [
      'a secret is given for a duration',
      'ehr: { baseUrl: "${EHR}" }\nrecording: { settle: "${MERCY_SECRET}" }',
      '2:22: recording.settle is a duration like 500ms, 60s, 5m, 2h or 1d',
    ],
    [
      'a secret is given for an organization',
      'ehr: { baseUrl: "${EHR}", organization: "${EHR}" }',
      '1:41: ehr.organization is a reference, as in Organization/1',
    ],
  ])('never appear in a message, even if %s', (_title, text, expected) => {
    const problems = problemsOf(text);
    expect(problems).toEqual([`mercy:${expected}`]);
    expect(JSON.stringify(problems)).not.toContain('swordfish');
  });
});

describe('Settings for final notes without review', () => {
  it.each([
    [
      'need a person who takes the responsibility',
      'write: { review: final, diagnosis: [] }',
      [
        '1:18: write.review: final needs write.signedWithoutReview with acceptedBy, role, date, until and reason: who answers for it',
      ],
    ],
    [
      'allow no diagnosis',
      'write: { review: final, signedWithoutReview: { acceptedBy: a, role: r, date: 2026-01-01, until: 2027-01-01, reason: x } }',
      ['1:18: write.review: final is for notes alone: it needs an empty list in write.diagnosis'],
    ],
    [
      'need all details of the decision',
      'write: { review: final, diagnosis: [], signedWithoutReview: { acceptedBy: a, date: 2026-01-01, until: 2027-01-01, reason: x } }',
      ['1:61: write.signedWithoutReview.role is missing'],
    ],
    [
      'end after their beginning',
      'write: { review: final, diagnosis: [], signedWithoutReview: { acceptedBy: a, role: r, date: 2026-01-01, until: 2026-01-01, reason: x } }',
      ['1:112: write.signedWithoutReview.until is a day after its date'],
    ],
    [
      'need valid days',
      'write: { review: final, diagnosis: [], signedWithoutReview: { acceptedBy: a, role: r, date: 2026-13-01, until: soon, reason: x } }',
      [
        '1:93: write.signedWithoutReview.date is a day, as in 2026-11-30',
        '1:112: write.signedWithoutReview.until is a day, as in 2026-11-30',
      ],
    ],
  ])('%s', (_title, text, expected) => {
    expect(problemsOf(text)).toEqual(expected.map((problem) => `mercy:${problem}`));
  });
});
