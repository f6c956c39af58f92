// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how settings name secrets
import { describe, expect, test } from '@jest/globals';
import type { SiteSettings } from '../../../src/domain/site/site.ts';
import { parseSource } from '../../../src/mapping/mapping.ts';
import { filesNeeded, hasEhr, readSiteSettings } from '../../../src/outbound/files/site-settings.ts';
import type { SecretFile } from '../../../src/outbound/files/substitution.ts';

const ENVIRONMENT = { MERCY_SECRET: 'swordfish', EMPTY: '', WRITES: '7', EHR: 'https://swordfish.example.org/fhir' };
const FILES: ReadonlyMap<string, SecretFile> = new Map([
  ['key.pem', { text: 'swordfish-key' }],
  ['gone.pem', { message: 'it is not there' }],
]);

/** Nearest first; each is its own file. */
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

describe("a site's settings", () => {
  test('are complete with nothing but the address of the EHR', () => {
    expect(settingsOf(EHR)).toEqual({
      mode: 'live',
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
      check: { maxUnsupported: { drug: 0, dose: 0, allergy: 0, number: 2 } },
      write: {
        note: ['composition', 'document-reference'],
        diagnosis: ['condition', 'risk-assessment', 'flag'],
        provenance: true,
        conditions: 'always',
        probability: 'number',
        differential: 'resources',
        review: 'preliminary',
      },
      upload: { identityCheck: 'on' },
      review: { by: 'task' },
      codes: { diagnosis: 'icd-10-cm' },
    });
  });

  test('are read as they stand in the design', () => {
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
    // biome-ignore lint/suspicious/noThenProperty: the setting's own name; nobody awaits it
    expect(settings.sensitive).toEqual([{ when: '%patient.ageYears() in (12..17)', then: 'hold' }]);
    expect(settings.review).toEqual({ by: 'task', remindAfterMs: 86_400_000, escalateAfterMs: 259_200_000 });
    expect(settings.attention).toEqual({ afterMs: 600_000, to: ['amqp'] });
    expect(settings).toMatchObject({ organization: 'mercy-general', mode: 'shadow', timeZone: 'America/Chicago' });
  });

  test.each([
    ['none', 'type: none', { type: 'none' }],
    ['basic', 'type: basic, username: u, password: p', { type: 'basic', username: 'u', password: 'p' }],
    ['bearer', 'type: bearer, token: t', { type: 'bearer', token: 't' }],
    [
      'backend-services',
      'type: backend-services, clientId: c, privateKey: "${file:key.pem}", tokenUrl: "https://a.example.org/t?x=1"',
      { type: 'backend-services', clientId: 'c', privateKey: 'swordfish-key', tokenUrl: 'https://a.example.org/t?x=1' },
    ],
  ])('may identify with %s', (_title, auth, expected) => {
    expect(settingsOf(`ehr: { baseUrl: https://ehr.example.org, auth: { ${auth} } }`).ehr?.auth).toEqual(expected);
  });

  test('take one word for the language of speech and note', () => {
    expect(settingsOf('language: es').language).toEqual({ speech: 'es', note: 'es', unsupported: 'hold' });
    expect(settingsOf('language: { note: pt }', 'language: es').language).toMatchObject({ speech: 'es', note: 'pt' });
    const byPatient = 'language: { speech: detect, note: "%patient.language.first()" }';
    expect(settingsOf(byPatient).language).toMatchObject({ speech: 'detect', note: '%patient.language.first()' });
  });

  test('take constants or FHIRPath for consent and note type', () => {
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

  test('may remind and say that it is overdue at the same time, or do one of both', () => {
    const reviewOf = (text: string) => settingsOf(`review: ${text}`).review;
    expect(reviewOf('{ remindAfter: 1d, escalateAfter: 24h }')).toMatchObject({ escalateAfterMs: 86_400_000 });
    expect(reviewOf('{ escalateAfter: 2d }')).toEqual({ by: 'task', escalateAfterMs: 172_800_000 });
  });

  test('may be signed by nobody where somebody answers for it', () => {
    const text = `
write:
  review: final
  diagnosis: []
  signedWithoutReview: { acceptedBy: A. Chief, role: CMO, date: 2026-11-21, until: 2027-11-21, reason: trial }
`;
    expect(settingsOf(text).write).toMatchObject({ review: 'final', diagnosis: [] });
  });
});

describe('settings that are inherited', () => {
  test('are replaced key by key, and lists whole', () => {
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
      conditions: 'always',
    });
  });

  test('leave nothing behind where a site identifies in another way', () => {
    const inherited = 'ehr: { auth: { type: basic, username: u, password: p }, maxConcurrentWrites: 5 }';
    const own = 'ehr: { baseUrl: https://ehr.example.org, auth: { type: bearer, token: t } }';
    expect(settingsOf(own, inherited).ehr).toMatchObject({
      auth: { type: 'bearer', token: 't' },
      maxConcurrentWrites: 5,
    });
    const same = 'ehr: { baseUrl: https://ehr.example.org, auth: { type: basic, password: mine } }';
    expect(settingsOf(same, inherited).ehr?.auth).toEqual({ type: 'basic', username: 'u', password: 'mine' });
  });

  test('are taken away by a key without a value, where the engine has none by itself', () => {
    const inherited = 'attention: { after: 10m, to: [amqp] }\nnoteType: { AMB: SOAP }\nidentifiers: { mrn: "urn:x:y" }';
    const settings = settingsOf('attention:\nnoteType: { AMB: }\nidentifiers: { mrn: }\n', inherited);
    expect(settings.attention).toBeUndefined();
    expect(settings.noteType).toEqual({ default: 'PROGRESS_NOTE', EMER: 'ED_NOTE' });
    expect(settings.identifiers).toEqual({});
  });

  test.each([
    ['the mode', 'mode:', ['1:1: mode']],
    ['the mode, with a comment', 'mode: # shadow', ['1:1: mode']],
    ['the mode, with a sign for nothing', 'mode: ~', ['1:1: mode']],
    ['what holds when the chart is silent', 'consent: { unknown: }', ['1:12: consent.unknown']],
    ['when conditions are written', 'write:\n  conditions:\n', ['2:3: write.conditions']],
    ['a group of which everything is a comment', 'write:\n  # review: hold\n', ['1:1: write']],
    ['a setting three levels deep', 'check: { maxUnsupported: { drug: } }', ['1:28: check.maxUnsupported.drug']],
    ['a list', 'pilot: { services: }\nsensitive:', ['1:10: pilot.services', '2:1: sensitive']],
    ['a group that has nothing by itself', 'events:', ['1:1: events']],
    ['the language', 'language:', ['1:1: language']],
    ['a note type', 'noteType: { EMER: }', ['1:13: noteType.EMER']],
  ])('never become what the engine has by itself because a value is missing: %s', (_title, text, places) => {
    const inherited =
      'mode: shadow\nconsent: { unknown: hold }\nwrite: { conditions: accepted, review: hold }\npilot: { services: [x] }';
    expect(problemsOf(text, inherited)).toEqual(
      places.map((place) => `mercy:${place} has no value: write one, or take the line away to inherit it`),
    );
  });

  test('without a value are a problem of the file where that is', () => {
    expect(problemsOf('timeZone: UTC', 'mode:')).toEqual([
      'profiles/us-core:1:1: mode has no value: write one, or take the line away to inherit it',
    ]);
  });

  test('have their problems in the file where they stand', () => {
    expect(problemsOf('mode: live', 'write: { review: finnal }', 'timeZone: Mars')).toEqual([
      'profiles/us-core:1:18: write.review is one of preliminary, hold, final; did you mean final?',
      'base:1:11: timeZone is a time zone of the IANA list, as in America/Chicago',
    ]);
  });

  test('make a folder a site only with the address of an EHR', () => {
    expect(hasEhr(read(EHR).trees)).toBe(true);
    expect(hasEhr(read('mode: live', EHR).trees)).toBe(true);
    expect(hasEhr(read('ehr: { maxConcurrentWrites: 2 }', 'mode: live').trees)).toBe(false);
    expect(hasEhr(read('ehr: { baseUrl: }').trees)).toBe(false);
    expect(settingsOf('ehr: { maxConcurrentWrites: 2 }').ehr).toBeUndefined();
  });
});

describe('settings are refused, with the place, where', () => {
  test.each([
    ['a key is misspelt', 'tigger: x', ['1:1: tigger is no setting; did you mean trigger?']],
    ['a key below is misspelt', 'write:\n  reveiw: hold', ['2:3: write.reveiw is no setting; did you mean review?']],
    ['a key is unlike all others', 'frobnicate: 1', ['1:1: frobnicate is no setting']],
    ['a word is none of the list', 'mode: shaddow', ['1:7: mode is one of off, shadow, live; did you mean shadow?']],
    ['a truth value stands for a word', 'mode: true', ['1:7: mode is one of off, shadow, live; write it in quotes']],
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
      'a duration is none',
      'recording: { wait: soon }',
      ['1:20: recording.wait is a duration like 500ms, 60s, 5m, 2h or 1d'],
    ],
    [
      'a duration is longer than a year',
      'recording: { wait: 367d }',
      ['1:20: recording.wait is a duration like 500ms, 60s, 5m, 2h or 1d'],
    ],
    [
      'polls would never rest',
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
    ['a truth value is a text', 'write: { provenance: "yes" }', ['1:22: write.provenance is true or false']],
    ['a text is a number', 'organization: 42', ['1:15: organization is a text; write it in quotes']],
    ['a text is empty', 'organization: ""', ['1:15: organization is empty']],
    [
      'a gap is no duration',
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
      'times of the day are not',
      'events: { expect: { atLeastOne: 2h, during: "Mon-Fri 7-19" } }',
      ['1:45: events.expect.during is days and times, as in Mon-Fri 07:00-19:00'],
    ],
    ['a needed key is missing', 'events: { poll: { query: q } }', ['1:17: events.poll.every is missing']],
    ['an identifier is no URI', 'identifiers: { mrn: MRN }', ['1:21: identifiers.mrn is a URI, as in urn:oid:1.2.3']],
    [
      'a reference is none',
      'ehr: { organization: Patient/1 }',
      ['1:22: ehr.organization is a reference, as in Organization/1'],
    ],
    ['a header has no name', 'ehr: { headers: { "X Y": a } }', ['1:20: ehr.headers: X Y is no name of an HTTP header']],
    [
      'a header would break out',
      'ehr: { headers: { X-Y: "a\\r\\nb" } }',
      ['1:24: ehr.headers.X-Y is text without line breaks'],
    ],
    [
      'nothing says how to identify',
      'ehr: { auth: { token: t } }',
      ['1:14: ehr.auth.type is missing: one of none, basic, bearer, client-credentials, backend-services'],
    ],
    [
      'a way to identify is not known',
      'ehr: { auth: { type: oauth } }',
      ['1:22: ehr.auth.type is one of none, basic, bearer, client-credentials, backend-services'],
    ],
    [
      'keys of one way stand with another',
      'ehr: { auth: { type: bearer, token: t, password: p } }',
      ['1:40: ehr.auth.password is no setting'],
    ],
    [
      'a way to identify lacks a key',
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
      'a template lies elsewhere',
      'noteType: { AMB: ../knee.md }',
      [
        '1:18: noteType.AMB is a note type, a template, or a file with a custom template beside site.yaml, as in knee-clinic.md',
      ],
    ],
    [
      'a document has no good name',
      'write: { note: ["../x"] }',
      ['1:17: write.note[0] is the name of a mapping, as in composition'],
    ],
    [
      'a document is named as FHIR names it',
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
      'what comes after a reminder would come before it',
      'review: { by: task, remindAfter: 3d, escalateAfter: 24h }',
      ['1:53: review.escalateAfter is shorter than review.remindAfter: it is what comes after it'],
    ],
    [
      'people are to be told by a Task',
      'attention: { after: 10m, to: [amqp, task] }',
      ['1:37: attention.to[1] is one of amqp'],
    ],
    [
      'people are to be told in no way',
      'attention: { after: 10m, to: [] }',
      ['1:30: attention.to is empty, so no one would be notified; remove attention to send no notifications'],
    ],
    [
      'a kind of statement is not known',
      'check: { maxUnsupported: { drugs: 0 } }',
      ['1:28: check.maxUnsupported.drugs is no setting; did you mean drug?'],
    ],
    ['extends is a list', 'extends: [base]', ['1:10: extends is a text']],
  ])('%s', (_title, text, expected) => {
    expect(problemsOf(text)).toEqual(expected.map((problem) => `mercy:${problem}`));
  });
});

describe('expressions in settings are refused, with the column, where', () => {
  test.each([
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
    ['they are cut', 'trigger: "status = "', '1:'],
    [
      'a constant is misspelt',
      'consent: { recording: optout }',
      '1:23: consent.recording is one of required, opt-out, by-source, or FHIRPath on %encounter and %patient; did you mean opt-out?',
    ],
    [
      'a language is not spoken',
      'language: { note: fr }',
      '1:19: language.note is one of en, es, pt, or FHIRPath on %encounter and %patient',
    ],
    [
      'the note cannot be detected',
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
    ['a test gives no truth', 'trigger: period.end', '1:10: trigger: this gives a text, and should give true or false'],
    ['a language is a truth', 'language: { note: "%patient.active" }', '1:20: language.note: this gives '],
    [
      'a note type goes by a wrong one',
      'noteType: { "%encounter.class = %x": SOAP }',
      '1:33: noteType: %x is not known here',
    ],
    [
      'a note type goes by words',
      'noteType: { "emergency room": SOAP }',
      '1:14: noteType: a name with a space is neither a code nor an expression',
    ],
  ])('%s', (_title, text, expected) => {
    const [problem, ...others] = problemsOf(text);
    expect(others).toEqual([]);
    expect(problem?.slice(0, expected.length + 'mercy:'.length)).toBe(`mercy:${expected}`);
  });

  test('over several lines too', () => {
    expect(problemsOf("trigger: >-\n  status = 'finished'\n  and %foo.exists()\n")).toEqual([
      'mercy:3:7: trigger: %foo is not known here',
    ]);
  });

  test('the trigger reads the Encounter without %, the others only inside of calls', () => {
    const text = `
trigger: "status = 'finished' and period.end.exists() and %patient.active"
sensitive: [{ when: "%encounter.type.where(text = 'x').exists()", then: skip }]
`;
    expect(problemsOf(text)).toEqual([]);
  });
});

describe('secrets', () => {
  test.each([
    [
      'a variable is not set',
      'push: { secret: "x-${MERCY_SECRT}" }',
      '1:30: site mercy needs the environment variable MERCY_SECRT (${MERCY_SECRT}), and it is not set',
    ],
    [
      "a key of the engine's own",
      'push: { secret: "${MASTER_KEY}" }',
      "1:28: MASTER_KEY is the engine's own: give site mercy a variable of its own",
    ],
    [
      'a variable is empty',
      'push: { secret: "${EMPTY}" }',
      '1:28: site mercy needs the environment variable EMPTY (${EMPTY}), and it is empty',
    ],
    [
      'a variable is one of JavaScript',
      'push: { secret: "${toString}" }',
      '1:28: site mercy needs the environment variable toString (${toString}), and it is not set',
    ],
    [
      'a file is missing',
      'push: { secret: "${file:gone.pem}" }',
      '1:28: site mercy needs the file gone.pem (${file:gone.pem}), and it is not there',
    ],
    [
      'a name is none',
      'push: { secret: "${MERCY SECRET}" }',
      '1:28: write ${NAME} for a variable of the environment, or ${file:path} for the content of a file',
    ],
    [
      'a brace is open',
      'push: { secret: "${MERCY_SECRET" }',
      '1:28: write ${NAME} for a variable of the environment, or ${file:path} for the content of a file',
    ],
    [
      'a file has no name',
      'push: { secret: "${file:}" }',
      '1:28: write ${NAME} for a variable of the environment, or ${file:path} for the content of a file',
    ],
  ])('are missed with site, line and name where %s', (_title, push, expected) => {
    expect(problemsOf(`events: { ${push} }\n${EHR}`)).toEqual([`mercy:${expected}`]);
  });

  test('that an inherited line needs are missed in its file, for the site', () => {
    expect(problemsOf(EHR, 'events: { push: { secret: "${NOT_SET}" } }')).toEqual([
      'profiles/us-core:1:28: site mercy needs the environment variable NOT_SET (${NOT_SET}), and it is not set',
    ]);
  });

  test('are not asked for by a folder that is no site', () => {
    expect(problemsOf('events: { push: { secret: "${NOT_SET}" } }')).toEqual([]);
  });

  test('in files are known before they are read', () => {
    const { trees } = read('ehr: { tls: { ca: "${file:ca.pem}", key: "${file: key.pem }" }, headers: { A: "${B}" } }');
    expect(filesNeeded(trees)).toEqual(new Set(['ca.pem', 'key.pem']));
  });

  test.each([
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
      'the address is of a file',
      'ehr: { baseUrl: "file:///swordfish" }',
      '1:17: ehr.baseUrl is an address that begins with https:// or http://',
    ],
    [
      'the address is none',
      'ehr: { baseUrl: swordfish }',
      '1:17: ehr.baseUrl is an address that begins with https:// or http://',
    ],
    [
      'a secret stands for a word',
      'mode: "${MERCY_SECRET}"\nehr: { baseUrl: "${EHR}" }',
      '1:7: mode is one of off, shadow, live',
    ],
    [
      'a secret stands for a document',
      'write: { note: ["${EHR}"] }\nehr: { baseUrl: "${EHR}" }',
      '1:17: write.note[0] is a name, and is written out here',
    ],
    [
      'a secret stands for a number',
      'ehr: { baseUrl: "${EHR}", maxConcurrentWrites: "${MERCY_SECRET}" }',
      '1:48: ehr.maxConcurrentWrites is a whole number from 1 to 100',
    ],
    [
      'a secret stands for a duration',
      'ehr: { baseUrl: "${EHR}" }\nrecording: { settle: "${MERCY_SECRET}" }',
      '2:22: recording.settle is a duration like 500ms, 60s, 5m, 2h or 1d',
    ],
    [
      'a secret stands for an organization',
      'ehr: { baseUrl: "${EHR}", organization: "${EHR}" }',
      '1:41: ehr.organization is a reference, as in Organization/1',
    ],
  ])('never appear in a message, also where %s', (_title, text, expected) => {
    const problems = problemsOf(text);
    expect(problems).toEqual([`mercy:${expected}`]);
    expect(JSON.stringify(problems)).not.toContain('swordfish');
  });
});

describe('notes that nobody signs', () => {
  test.each([
    [
      'need somebody who answers for it',
      'write: { review: final, diagnosis: [] }',
      [
        '1:18: write.review: final needs write.signedWithoutReview with acceptedBy, role, date, until and reason: who answers for it',
      ],
    ],
    [
      'go without a diagnosis',
      'write: { review: final, signedWithoutReview: { acceptedBy: a, role: r, date: 2026-01-01, until: 2027-01-01, reason: x } }',
      ['1:18: write.review: final is for notes alone: it needs an empty list in write.diagnosis'],
    ],
    [
      'need all that is to be known of the decision',
      'write: { review: final, diagnosis: [], signedWithoutReview: { acceptedBy: a, date: 2026-01-01, until: 2027-01-01, reason: x } }',
      ['1:61: write.signedWithoutReview.role is missing'],
    ],
    [
      'have an end that lies behind the beginning',
      'write: { review: final, diagnosis: [], signedWithoutReview: { acceptedBy: a, role: r, date: 2026-01-01, until: 2026-01-01, reason: x } }',
      ['1:112: write.signedWithoutReview.until is a day after its date'],
    ],
    [
      'need a real day',
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
