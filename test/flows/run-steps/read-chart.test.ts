import { describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { AppError, type ErrorCode } from '../../../src/domain/errors.ts';
import type { Permission } from '../../../src/domain/history/chart-context.ts';
import type { SiteSettings } from '../../../src/domain/site/site.ts';
import { makeAskPermission, type PermissionOrder } from '../../../src/flows/run-steps/ask-permission.ts';
import { makeReadChart } from '../../../src/flows/run-steps/read-chart.ts';
import type { SearchOrder } from '../../../src/ports/ehr.ts';
import { aReadingEhr, aReadingSite, CHART_TYPES } from '../../support/chart-reading.ts';
import {
  aCondition,
  aMedication,
  anAllergy,
  anEncounter,
  anObservation,
  aPatient,
  aReport,
  aResource,
  labelled,
} from '../../support/chart-resources.ts';

const runtime = { now: () => new Date('2026-11-21T08:00:00Z') };
const signal = new AbortController().signal;

type Reading = {
  readonly resources?: readonly Resource[];
  readonly ehr?: Omit<NonNullable<Parameters<typeof aReadingEhr>[0]>, 'resources'>;
  readonly settings?: Partial<SiteSettings>;
  readonly encounter?: string;
  /** Instead of the real ones. */
  readonly permissions?: readonly Permission[];
};

function makeReading({
  resources = [],
  ehr = {},
  settings = {},
  encounter = 'Encounter/e-1',
  permissions,
}: Reading = {}) {
  const reading = aReadingEhr({ ...ehr, resources: [anEncounter(), aPatient(), ...resources] });
  const asked: PermissionOrder[] = [];
  const real = makeAskPermission({ ehrs: reading.ehrs, runtime, releases: { has: async () => false } });
  const readChart = makeReadChart({
    ehrs: reading.ehrs,
    runtime,
    askPermission: async (order, abort) => {
      asked.push(order);
      return permissions?.[asked.length - 1] ?? (await real(order, abort));
    },
  });
  const site = aReadingSite(settings);
  return { ...reading, asked, read: (abort = signal) => readChart({ site, encounter }, abort) };
}

async function contextOf(reading?: Reading) {
  const { context } = await makeReading(reading).read();
  if (context === undefined) throw new Error('there is no context');
  return context;
}

/** One type's search fails, or answers otherwise. */
function onSearch(type: string, then: (order: SearchOrder) => { resources?: Resource[]; isComplete?: boolean }) {
  return { answer: (order: SearchOrder) => (order.type === type ? then(order) : undefined) };
}

function failing(code: ErrorCode): never {
  throw new AppError(code, 'the EHR did something');
}

const REFUSED = refusal('skip');

function refusal(then: 'hold' | 'skip'): Permission {
  return { isGranted: false, then, reason: 'consent', message: 'no' };
}

const A_CHART = [
  aCondition('c'),
  aMedication('m'),
  anAllergy('a'),
  anObservation('o'),
  aReport('r'),
  aResource('MedicationStatement', 's', {
    status: 'active',
    subject: { reference: 'Patient/p-1' },
    medicationCodeableConcept: { text: 'Ibuprofen' },
  }),
];

describe('the encounter and its patient', () => {
  it('an encounter is named by its id, or as Encounter/id', async () => {
    for (const encounter of ['e-1', 'Encounter/e-1']) {
      const context = await contextOf({ encounter });
      expect([context.encounter.id, context.patient.id]).toEqual(['e-1', 'p-1']);
    }
    for (const encounter of ['', 'Patient/p-1', '../Patient', 'Encounter/a/b', 'https://x.example/Encounter/e-1']) {
      const reading = makeReading({ encounter });
      await expect(reading.read()).rejects.toMatchObject({ code: 'invalidRequest' });
      expect(reading.reads).toEqual([]);
    }
  });

  it('a missing encounter or patient is not found', async () => {
    await expect(makeReading({ encounter: 'e-2' }).read()).rejects.toMatchObject({ code: 'notFound' });
    const resources = [anEncounter({ subject: { reference: 'Patient/gone' } })];
    await expect(makeReading({ resources }).read()).rejects.toMatchObject({ code: 'notFound' });
  });

  it('an encounter without a Patient of this EHR is refused', async () => {
    const subjects = [undefined, {}, { reference: 'Group/1' }, { reference: '#p' }, { identifier: { value: '1' } }];
    for (const subject of [...subjects, { reference: 'https://other.example/fhir/Patient/p-1' }]) {
      const reading = makeReading({ resources: [anEncounter({ subject })] });
      await expect(reading.read()).rejects.toMatchObject({ code: 'invalidRequest' });
      expect(reading.asked).toEqual([]);
    }
    const own = anEncounter({ subject: { reference: 'https://ehr.example.org/fhir/Patient/p-1/_history/4' } });
    expect((await contextOf({ resources: [own] })).patient.id).toBe('p-1');
  });

  it('an answer with another patient is refused', async () => {
    const reading = aReadingEhr({ resources: [anEncounter(), aPatient()] });
    const other = { reference: 'Patient/p-9', resource: aResource('Patient', 'p-9') };
    const ehr = {
      ...reading.ehr,
      read: async (reference: string) => (reference === 'Patient/p-1' ? other : reading.ehr.read(reference, signal)),
    };
    const ehrs = { of: () => ehr, jwks: async () => undefined };
    const askPermission = async () => ({ isGranted: true }) as const;
    const readChart = makeReadChart({ ehrs, runtime, askPermission });
    const answer = readChart({ site: aReadingSite(), encounter: 'e-1' }, signal);
    await expect(answer).rejects.toMatchObject({ code: 'ehrAnswer' });
  });

  it('an EHR that is down throws for the encounter and the patient', async () => {
    for (const reference of ['Encounter/e-1', 'Patient/p-1']) {
      const onRead = (asked: string) => (asked === reference ? failing('ehrUnavailable') : undefined);
      await expect(makeReading({ ehr: { onRead } }).read()).rejects.toMatchObject({ code: 'ehrUnavailable' });
    }
  });
});

describe('the permission', () => {
  it('nothing but the encounter and the patient is read before the permission', async () => {
    const reading = makeReading({ resources: A_CHART, permissions: [REFUSED] });
    expect(await reading.read()).toEqual({ permission: REFUSED });
    expect(reading.reads).toEqual(['Encounter/e-1', 'Patient/p-1']);
    expect(reading.searches).toEqual([]);
  });

  it('restricted resources are left out and reported', async () => {
    const resources = [...A_CHART, aCondition('secret', labelled('R')), aMedication('hidden', labelled('V'))];
    const context = await contextOf({ resources });
    expect(context.history).not.toMatch(/secret|hidden/);
    expect(JSON.stringify(context.chart)).not.toMatch(/secret|hidden/);
    expect(context.omissions).toContain('2 resources of the chart are labelled restricted (R or V), and left out.');
    expect(context.confidentiality).toBeUndefined();
  });

  it('restricted resources are included if the site’s list allows them, and raise the label', async () => {
    const entry = (when: string, then: 'allow') => ({ when, then });
    const settings = { sensitive: [entry('%encounter.exists()', 'allow')] };
    const context = await contextOf({ resources: [aCondition('c', labelled('R'))], settings });
    expect(context.history).toContain('Condition c');
    expect(context.confidentiality).toBe('R');
  });

  it('a denial while the chart is read is respected', async () => {
    const granted = { isGranted: true } as const;
    const resources = [aCondition('c', labelled('R'))];
    const answer = await makeReading({ resources, permissions: [granted, REFUSED] }).read();
    expect(answer).toEqual({ permission: REFUSED });
  });

  it('the highest label of all inputs is returned', async () => {
    const resources = [anEncounter(labelled('L')), aCondition('c', labelled('N')), aReport('r', labelled('M'))];
    expect((await contextOf({ resources })).confidentiality).toBe('N');
    expect((await contextOf()).confidentiality).toBeUndefined();
  });
});

describe('the facts for a diagnosis', () => {
  it('each fact is one line with its source', async () => {
    const context = await contextOf({ resources: A_CHART });
    expect(context.history.split('\n')).toEqual([
      '- Patient: 67 years old, female [Patient/p-1]',
      '- Allergy: Substance a [AllergyIntolerance/a]',
      '- Condition: Condition c [Condition/c]',
      '- Medication: Medicine m [MedicationRequest/m]',
      '- Medication: Ibuprofen [MedicationStatement/s]',
      '- Vital sign: Heart rate 88 /min, 2026-11-20 10:05 UTC [Observation/o]',
      '- Report: Chest X-ray, 2026-11-20, conclusion: No infiltrate. [DiagnosticReport/r]',
    ]);
    expect(context.omissions).toEqual([]);
    expect(context.chart.medications?.map(({ id }) => id)).toEqual(['m', 's']);
  });

  it('a chart without facts is an empty chart, not an omission', async () => {
    const context = await contextOf();
    const none: readonly Resource[] = [];
    const empty = { allergies: none, conditions: none, medications: none, observations: none, reports: none };
    expect(context.chart).toEqual(empty);
    expect(context.omissions).toEqual([]);
  });

  it('the practitioner is the attender, otherwise the primary performer', async () => {
    const type = (code: string) => [{ coding: [{ code }] }];
    const first = { type: type('PPRF'), individual: { reference: 'Practitioner/1' } };
    const attending = { type: type('ATND'), individual: { reference: 'Practitioner/2' } };
    const both = anEncounter({ participant: [first, attending, { type: type('ATND'), individual: { display: 'x' } }] });
    const people = [aResource('Practitioner', '1'), aResource('Practitioner', '2')];
    expect((await contextOf({ resources: [both, ...people] })).practitioner?.id).toBe('2');
    const one = anEncounter({ participant: [first] });
    expect((await contextOf({ resources: [one, ...people] })).practitioner?.id).toBe('1');
    const gone = await contextOf({ resources: [one] });
    expect(gone.practitioner).toBeUndefined();
    expect(gone.omissions).toEqual(['The practitioner cannot be read: the EHR does not have it.']);
    expect((await contextOf()).omissions).toEqual([]);
  });

  it('a kind that cannot be read is reported, and the others are read', async () => {
    const sentences: Readonly<Partial<Record<ErrorCode, string>>> = {
      ehrRefused: 'The allergies cannot be read: the EHR refuses it.',
      ehrUnavailable: 'The allergies cannot be read: the EHR does not answer.',
      ehrAnswer: 'The allergies cannot be read: the answer of the EHR is not valid FHIR.',
    };
    for (const [code, sentence] of Object.entries(sentences)) {
      const ehr = onSearch('AllergyIntolerance', () => failing(code as ErrorCode));
      const context = await contextOf({ resources: A_CHART, ehr });
      expect(context.omissions).toEqual([sentence]);
      expect(context.chart).not.toHaveProperty('allergies');
      expect(context.history).toContain('- Condition: Condition c');
    }
  });

  it('a kind that the EHR does not offer is reported and not requested', async () => {
    const offers = CHART_TYPES.filter((type) => type !== 'MedicationStatement');
    const reading = makeReading({ resources: A_CHART, ehr: { offers } });
    const { context } = await reading.read();
    expect(context?.omissions).toEqual(['The stated medications cannot be read: the EHR does not offer them.']);
    expect(reading.searches.map(({ type }) => type)).not.toContain('MedicationStatement');
    expect(context?.chart.medications).toHaveLength(1);
  });

  it('a server that refuses a parameter is searched without it, and the result is filtered', async () => {
    const resources = [aCondition('a'), aCondition('b', { clinicalStatus: { coding: [{ code: 'resolved' }] } })];
    const ehr = {
      isKnown: false,
      ...onSearch('Condition', ({ parameters }) =>
        'clinical-status' in parameters ? failing('ehrRefused') : { resources },
      ),
    };
    const context = await contextOf({ ehr });
    expect(context.chart.conditions?.map(({ id }) => id)).toEqual(['a']);
    expect(context.omissions).toEqual([]);
  });

  it('resources of another patient are left out and reported', async () => {
    const ehr = onSearch('Condition', () => ({
      resources: [aCondition('a'), aCondition('b', { subject: { reference: 'Patient/p-2' } })],
    }));
    const context = await contextOf({ ehr });
    expect(context.history).not.toContain('Condition b');
    expect(context.omissions).toEqual(['1 of the conditions is not of this patient, and left out.']);
  });

  it('ten thousand observations are limited in number and size', async () => {
    const word = 'x'.repeat(5_000);
    const resources = Array.from({ length: 10_000 }, (_, at) => anObservation(`o${at}`, { code: { text: word } }));
    const reading = makeReading({ ehr: onSearch('Observation', () => ({ resources })) });
    const { context } = await reading.read();
    expect(context?.history.length).toBeLessThanOrEqual(16_000);
    expect(context?.chart.observations?.length).toBeLessThanOrEqual(100);
    expect(context?.omissions[0]).toBe(
      'Not all of the observations were read: there are more than 100, or the EHR does not show them all.',
    );
    expect(reading.searches.find(({ type }) => type === 'Observation')).toMatchObject({
      maxResources: 200,
      parameters: { patient: 'Patient/p-1', encounter: 'Encounter/e-1' },
    });
  });

  it('facts that do not fit into the history are reported, and left out of the chart as well', async () => {
    const text = 'word '.repeat(60);
    const many = [aCondition, anAllergy].flatMap((make) =>
      Array.from({ length: 50 }, (_, at) => make(`f${at}`, { code: { text } })),
    );
    const context = await contextOf({ resources: [...many, aReport('last')] });
    const told = [...(context.chart.allergies ?? []), ...(context.chart.conditions ?? [])].length;
    expect(context.history.split('\n')).toHaveLength(told + 1);
    expect(context.chart.reports).toEqual([]);
    expect(context.omissions).toEqual([
      `${101 - told} facts of the chart are left out of the history: it would be too long.`,
    ]);
  });

  it('all searches are asked for together with the practitioner, so that they can go out as one request', async () => {
    const reading = aReadingEhr({ resources: [anEncounter(), aPatient(), ...A_CHART] });
    let asked = 0;
    const together: typeof reading.ehr.together = async (works, abort) => {
      const before = reading.searches.length + reading.reads.length;
      const answer = await reading.ehr.together(works, abort);
      asked += reading.searches.length + reading.reads.length - before;
      return answer;
    };
    const ehrs = { of: () => ({ ...reading.ehr, together }), jwks: async () => undefined };
    const askPermission = async () => ({ isGranted: true }) as const;
    await makeReadChart({ ehrs, runtime, askPermission })({ site: aReadingSite(), encounter: 'e-1' }, signal);
    const alone = ['Encounter/e-1', 'Patient/p-1'];
    expect(reading.reads.slice(0, 2)).toEqual(alone);
    expect(asked).toBe(reading.searches.length + reading.reads.length - alone.length);
    expect(reading.searches).toHaveLength(6);
  });

  it('an abort or an unexpected error is thrown, not reported as an omission', async () => {
    const controller = new AbortController();
    // The last search: no other one is there to notice.
    const answer = ({ type }: SearchOrder) => {
      if (type !== 'DiagnosticReport') return { resources: [] };
      controller.abort(new AppError('cancelled', 'the client went away'));
      return failing('ehrUnavailable');
    };
    const ehr = { answer };
    await expect(makeReading({ ehr }).read(controller.signal)).rejects.toBeInstanceOf(AppError);
    const broken = onSearch('Condition', () => {
      throw new TypeError('a mistake');
    });
    await expect(makeReading({ ehr: broken }).read()).rejects.toThrow('a mistake');
  });

  it('resources of any shape are read without an error', async () => {
    const odd = {
      subject: { reference: 'Patient/p-1' },
      code: 'x',
      category: 'y',
      meta: { security: {} },
      component: 7,
    };
    const ehr = {
      answer: ({ type }: SearchOrder) =>
        type === 'Consent' ? undefined : { resources: [aResource(type, '1', odd), null, 'x'] as unknown as Resource[] },
    };
    const context = await contextOf({ ehr });
    expect(context.history).toBe('- Patient: 67 years old, female [Patient/p-1]');
  });
});
