// The operator's actions on the sandbox: visits are finished, cancelled or merged, charts are read, drills are started. Each action is in the
// audit trail before it is done.

import type { Bundle } from '@medplum/fhirtypes';
import { AppError } from '../domain/errors.ts';
import type { Access } from '../domain/people/caller.ts';
import { byCaller } from '../flows/people/by-caller.ts';
import type { Audit } from '../ports/audit.ts';
import { SANDBOX_SITE, type SandboxAction } from '../wire/sandbox-names.ts';
import type { OpenChart, OpenedChart } from './cds/open-chart.ts';
import type { Drill, DrillUnderWay, Sandbox, SandboxVisit } from './sandbox-model.ts';

export type SandboxOverview = { readonly baseUrl: string; readonly visits: readonly SandboxVisit[] };
export type SandboxReset = {
  /** The number of visits after the reset. */
  readonly visits: number;
  /** The number of runs that were deleted. */
  readonly forgotten: number;
};
export type SandboxDrillList = { readonly drills: readonly Drill[]; readonly underWay?: DrillUnderWay };

/** Visits are named as in `Sandbox.find`. All functions throw `conflict` if no sandbox runs, `notFound`, and what the sandbox throws. */
export type OperateSandbox = {
  readonly overview: () => SandboxOverview;
  readonly visit: (name: string) => SandboxVisit;
  /** A view of patient data, even if the patients are made up: it is in the audit trail. */
  readonly chart: (name: string) => Promise<Bundle>;
  /** Opens the chart in the EHR, as this practitioner or as the one who saw the patient. */
  readonly openChart: (name: string, practitioner?: string) => Promise<OpenedChart>;
  readonly finish: (name: string) => Promise<SandboxVisit>;
  readonly cancel: (name: string) => Promise<SandboxVisit>;
  readonly merge: (name: string) => Promise<SandboxVisit & { readonly survivor: string }>;
  readonly move: (name: string) => Promise<SandboxVisit>;
  readonly addRecording: (name: string) => Promise<SandboxVisit>;
  /** The patient of a scenario, or of a visit, comes once more. */
  readonly comeAgain: (story: string) => Promise<SandboxVisit>;
  /** Restores the first charts, deletes the engine's runs of the sandbox, and ends the current drill. */
  readonly reset: () => Promise<SandboxReset>;
  readonly drills: () => SandboxDrillList;
  readonly startDrill: (name: string) => Promise<DrillUnderWay>;
  /** Does nothing if no drill is under way. */
  readonly endDrill: () => Promise<void>;
};

export type OperateSandboxParts = {
  /** Undefined if no sandbox runs. */
  readonly sandbox: Sandbox | undefined;
  /** Deletes what the engine has stored about the site; returns the number of runs. */
  readonly forget: () => Promise<number>;
  readonly openChart: OpenChart;
  readonly audit: Pick<Audit<SandboxAction>, 'append'>;
};

/** What this caller does is recorded as the caller's. */
export type OperateSandboxAs = (access: Access) => OperateSandbox;

export function makeOperateSandbox(parts: OperateSandboxParts): OperateSandboxAs {
  return (access) => operateAs(parts, access);
}

function operateAs({ sandbox: given, forget, openChart, audit }: OperateSandboxParts, access: Access): OperateSandbox {
  function open(): Sandbox {
    if (given !== undefined) return given;
    throw new AppError(
      'conflict',
      'No sandbox runs here: start with SANDBOX=on (auto: on where no other site has an EHR)',
    );
  }

  function note(action: SandboxAction, details?: Readonly<Record<string, string>>): Promise<void> {
    const entry = { action, site: SANDBOX_SITE, ...(details !== undefined && { details }) };
    return audit.append(byCaller(access, entry));
  }

  async function act<Result>(
    name: string,
    action: SandboxAction,
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
    openChart: (name, practitioner) =>
      act(name, 'sandbox.open', (sandbox, visit) =>
        openChart(sandbox, { visit, ...(practitioner !== undefined && { practitioner }) }),
      ),
    finish: (name) => act(name, 'sandbox.finish', ({ finish }, visit) => finish(visit)),
    cancel: (name) => act(name, 'sandbox.cancel', ({ cancel }, visit) => cancel(visit)),
    merge: (name) => act(name, 'sandbox.merge', ({ merge }, visit) => merge(visit)),
    move: (name) => act(name, 'sandbox.move', ({ move }, visit) => move(visit)),
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
      // The runs go before the charts, so that a run under way does not write into new charts.
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
