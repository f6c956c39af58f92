// What the operator does with the hospital in a laptop: its visits are finished and spoilt, its charts looked at, its bad days
// rehearsed. Each act stands in the audit trail before it is done.

import type { Bundle } from '@medplum/fhirtypes';
import type { AuditAction } from '../domain/access/audit-action.ts';
import { AppError } from '../domain/errors.ts';
import type { Audit } from '../ports/audit.ts';
import type { Drill, DrillUnderWay, Sandbox, SandboxVisit } from './sandbox-model.ts';

/** The sandbox and its site have one name. */
const SITE = 'sandbox';

export type SandboxOverview = { readonly baseUrl: string; readonly visits: readonly SandboxVisit[] };
export type SandboxReset = {
  /** How many visits there are again. */
  readonly visits: number;
  /** How many runs the engine knows no more. */
  readonly forgotten: number;
};
export type SandboxDrillList = { readonly drills: readonly Drill[]; readonly underWay?: DrillUnderWay };

/** Visits are named as `Sandbox.find` takes them. All throw `conflict` where no sandbox runs, `notFound`, and what the sandbox throws. */
export type OperateSandbox = {
  readonly overview: () => SandboxOverview;
  readonly visit: (name: string) => SandboxVisit;
  /** A view of what belongs to a patient, made up as they are. */
  readonly chart: (name: string) => Promise<Bundle>;
  readonly finish: (name: string) => Promise<SandboxVisit>;
  readonly cancel: (name: string) => Promise<SandboxVisit>;
  readonly merge: (name: string) => Promise<SandboxVisit & { readonly survivor: string }>;
  readonly addRecording: (name: string) => Promise<SandboxVisit>;
  /** The patient of a story, or of a visit, comes once more. */
  readonly comeAgain: (story: string) => Promise<SandboxVisit>;
  /** Charts as on the first day, and an engine that has never seen them. Ends the drill that is under way. */
  readonly reset: () => Promise<SandboxReset>;
  readonly drills: () => SandboxDrillList;
  readonly startDrill: (name: string) => Promise<DrillUnderWay>;
  /** Nothing happens where none is under way. */
  readonly endDrill: () => Promise<void>;
};

export type OperateSandboxParts = {
  /** Undefined where the engine runs without one. */
  readonly sandbox: Sandbox | undefined;
  /** The engine forgets what it knows of the site: how many runs that was. */
  readonly forget: () => Promise<number>;
  readonly audit: Pick<Audit, 'append'>;
};

export function makeOperateSandbox({ sandbox: given, forget, audit }: OperateSandboxParts): OperateSandbox {
  function open(): Sandbox {
    if (given !== undefined) return given;
    throw new AppError(
      'conflict',
      'No sandbox runs here: start with SANDBOX=on (auto: on where no other site has an EHR)',
    );
  }

  function note(action: AuditAction, details?: Readonly<Record<string, string>>): Promise<void> {
    return audit.append({ action, actor: 'operator', site: SITE, ...(details !== undefined && { details }) });
  }

  async function act<Result>(
    name: string,
    action: AuditAction,
    work: (sandbox: Sandbox, visit: string) => Result | Promise<Result>,
  ): Promise<Result> {
    const sandbox = open();
    const { name: visit } = sandbox.find(name);
    await note(action, { visit });
    return work(sandbox, visit);
  }

  function drillNamed(sandbox: Sandbox, name: string): Drill {
    const drills = sandbox.drills.list();
    const drill = drills.find((one) => one.name === name);
    if (drill !== undefined) return drill;
    throw new AppError('notFound', `There is no such drill. There are ${drills.map((one) => one.name).join(', ')}`);
  }

  async function endDrill(): Promise<void> {
    const { drills } = open();
    const underWay = drills.underWay();
    if (underWay === undefined) return;
    await note('sandbox.drill', { drill: underWay.drill.name, act: 'end' });
    await drills.end();
  }

  return {
    overview: () => {
      const { baseUrl, visits } = open();
      return { baseUrl, visits: visits() };
    },
    visit: (name) => open().find(name),
    chart: (name) => act(name, 'sandbox.view', ({ chart }, visit) => chart(visit)),
    finish: (name) => act(name, 'sandbox.finish', ({ finish }, visit) => finish(visit)),
    cancel: (name) => act(name, 'sandbox.cancel', ({ cancel }, visit) => cancel(visit)),
    merge: (name) => act(name, 'sandbox.merge', ({ merge }, visit) => merge(visit)),
    addRecording: (name) => act(name, 'sandbox.recording', ({ addRecording }, visit) => addRecording(visit)),

    async comeAgain(named) {
      const sandbox = open();
      const { story } = sandbox.find(named);
      await note('sandbox.visit', { story });
      return sandbox.comeAgain(story);
    },

    async reset() {
      const sandbox = open();
      await endDrill();
      await note('sandbox.reset');
      // Before the charts: what is under way must not write into new ones.
      const forgotten = await forget();
      await sandbox.reset();
      return { visits: sandbox.visits().length, forgotten };
    },

    drills() {
      const { list, underWay } = open().drills;
      const now = underWay();
      return { drills: list(), ...(now !== undefined && { underWay: now }) };
    },

    async startDrill(name) {
      const sandbox = open();
      const { unavailable } = drillNamed(sandbox, name);
      if (unavailable !== undefined) throw new AppError('conflict', unavailable);
      await note('sandbox.drill', { drill: name, act: 'start' });
      return sandbox.drills.start(name);
    },

    endDrill,
  };
}
