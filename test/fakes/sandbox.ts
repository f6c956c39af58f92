// A fake sandbox with three visits in memory. Actions are recorded, and no events are sent.
import type { Bundle } from '@medplum/fhirtypes';
import { AppError } from '../../src/domain/errors.ts';
import type { OpenChart } from '../../src/sandbox/cds/open-chart.ts';
import type { Drill, DrillUnderWay, Sandbox, SandboxVisit } from '../../src/sandbox/sandbox-model.ts';

const DRILLS: readonly Drill[] = [
  {
    name: 'twice',
    title: 'The EHR tells each event twice.',
    lookFor: ['One run, however often it is told.', 'One note in the chart.'],
    promise: { status: 'written', resources: { Composition: 1 } },
    maxSeconds: 60,
  },
  {
    name: 'dead-ehr',
    title: 'The EHR refuses what is written.',
    lookFor: ['The run is parked, and says what to do.'],
    promise: { status: 'parked', reason: 'tries' },
    maxSeconds: 30,
  },
  {
    name: 'no-broker',
    title: 'The broker is gone for a while.',
    lookFor: ['Nothing is lost.'],
    promise: { status: 'written' },
    maxSeconds: 90,
    unavailable: 'No broker is set: start with AMQP_URL',
  },
];

type FakeSandboxParts = {
  readonly now?: () => Date;
  /** Called when a visit is finished, in place of its event. */
  readonly onFinish?: (visit: SandboxVisit) => Promise<void>;
};

export type FakeSandbox = Sandbox & {
  /** Sets the chart of a visit. */
  readonly fillChart: (name: string, bundle: Bundle) => void;
  /** The actions in order: `finish en-migraine`. */
  readonly done: readonly string[];
};

export function makeFakeSandbox(parts: FakeSandboxParts = {}): FakeSandbox {
  const { now = () => new Date(), onFinish = async () => undefined } = parts;
  const visits = new Map<string, SandboxVisit>();
  const charts = new Map<string, Bundle>();
  const done: string[] = [];
  let underWay: DrillUnderWay | undefined;

  function open(): void {
    visits.clear();
    charts.clear();
    for (const visit of FIRST_DAY) visits.set(visit.name, visit);
  }

  function find(given: string): SandboxVisit {
    const name = given.replace(/^Encounter\//, '');
    const found = [...visits.values()].findLast((visit) => visit.story === name) ?? visits.get(name);
    if (found === undefined) throw new AppError('notFound', 'There is no such encounter in the sandbox');
    return found;
  }

  function change(name: string, act: string, changes: Partial<SandboxVisit>): SandboxVisit {
    const changed = { ...find(name), ...changes };
    visits.set(changed.name, changed);
    done.push(`${act} ${changed.name}`);
    return changed;
  }

  async function finish(name: string): Promise<SandboxVisit> {
    if (find(name).status === 'cancelled') throw new AppError('conflict', 'This encounter is cancelled');
    const visit = change(name, 'finish', { status: 'finished' });
    await onFinish(visit);
    return visit;
  }

  async function comeAgain(story: string): Promise<SandboxVisit> {
    const before = [...visits.values()].filter((visit) => visit.story === story);
    const [first] = before;
    if (first === undefined) throw new AppError('notFound', 'There is no such scenario');
    const name = `${story}-${before.length + 1}`;
    visits.set(name, { ...first, name, encounter: `Encounter/${name}`, status: 'in-progress', recordings: 1 });
    return change(name, 'visit', {});
  }

  open();
  return {
    baseUrl: 'http://127.0.0.1:3001/fhir/R4',
    done,
    fillChart: (name, bundle) => void charts.set(find(name).name, bundle),
    visits: () => [...visits.values()],
    find,
    finish,
    comeAgain,
    cancel: async (name) => change(name, 'cancel', { status: 'cancelled' }),
    merge: async (name) => {
      const survivor = `${find(name).patient}-merged`;
      return { ...change(name, 'merge', { patient: survivor }), survivor };
    },
    move: async (name) => change(name, 'move', { patient: `${find(name).patient}-other` }),
    addRecording: async (name) => change(name, 'record', { recordings: find(name).recordings + 1 }),
    chart: (name) => charts.get(find(name).name) ?? { resourceType: 'Bundle', type: 'collection', entry: [] },
    practitionerAt: (name, wanted) => {
      find(name);
      if (wanted !== undefined && wanted !== 'Practitioner/nurse')
        throw new AppError('notFound', 'No such practitioner');
      return wanted ?? 'Practitioner/doctor';
    },
    launch: (name, { practitioner }) => {
      done.push(`launch ${find(name).name} as ${practitioner}`);
      return `launch-${find(name).name}`;
    },
    signCall: () => 'signed',
    reset: async () => {
      done.push('reset');
      open();
    },
    drills: {
      list: () => DRILLS,
      underWay: () => underWay,
      start: async (name) => {
        const drill = DRILLS.find((one) => one.name === name);
        if (drill === undefined) throw new AppError('notFound', 'There is no such drill');
        if (underWay !== undefined) throw new AppError('conflict', `The drill ${underWay.drill.name} is under way`);
        done.push(`start ${name}`);
        const visit = await comeAgain('en-migraine');
        const startedAt = now();
        const endsAt = new Date(startedAt.getTime() + drill.maxSeconds * 1_000);
        underWay = { drill, visit, startedAt, endsAt };
        return { ...underWay, visit: await finish(visit.name) };
      },
      end: async () => {
        done.push('end');
        underWay = undefined;
      },
    },
  };
}

/** The engine has a RED draft of each visit but the silent one. */
export const fakeOpenChart: OpenChart = async (sandbox, { visit, practitioner }) => {
  const opener = sandbox.practitionerAt(visit, practitioner);
  const launch = sandbox.launch(visit, { practitioner: opener });
  const summary = 'RED triage in the AI draft of this visit, which no one has reviewed yet';
  return {
    visit: sandbox.find(visit),
    practitioner: opener,
    cards: visit === 'pt-silence' ? [] : [{ summary, indicator: 'critical', detail: 'Read it now.' }],
    launchUrl: `http://127.0.0.1:3000/launch/sandbox?launch=${launch}`,
  };
};

const FIRST_DAY: readonly SandboxVisit[] = [
  aVisit('en-migraine', { language: 'en', care: 'primary', reason: 'Headache since yesterday' }),
  aVisit('es-croup', { language: 'es', care: 'emergency', reason: 'Tos de perro y fiebre', trap: 'negation' }),
  aVisit('pt-silence', { language: 'pt', care: 'primary', reason: 'Consulta de rotina', trap: 'silent' }),
];

function aVisit(
  name: string,
  words: Pick<SandboxVisit, 'language' | 'care' | 'reason'> & { readonly trap?: string },
): SandboxVisit {
  return {
    name,
    story: name,
    encounter: `Encounter/${name}`,
    patient: `Patient/p-${name}`,
    status: 'in-progress',
    recordings: 1,
    ...words,
  };
}
