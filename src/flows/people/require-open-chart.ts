// Patient data of a restricted chart is shown to people and tokens only while they have opened it by break-glass.
import { AppError } from '../../domain/errors.ts';
import type { Access, Caller } from '../../domain/people/caller.ts';
import type { RecordedPurpose } from '../../domain/people/purpose.ts';
import { isRestrictedRun } from '../../domain/run/restricted-run.ts';
import type { Run } from '../../domain/run/run.ts';
import type { OpenedCharts } from '../../ports/opened-charts.ts';
import type { Releases } from '../../ports/releases.ts';
import type { Runs } from '../../ports/runs.ts';

/**
 * Call it before patient data of the run is shown or decided about. Returns the purpose for the audit trail: `BTG` for a restricted chart that
 * the caller has opened, otherwise that of the caller. Throws `forbidden` with what to do if it is not open.
 */
export type RequireOpenChart = (run: Run, access: Access) => Promise<RecordedPurpose | undefined>;

export type RequireOpenChartParts = {
  readonly runs: Pick<Runs, 'results'>;
  readonly releases: Pick<Releases, 'has'>;
  readonly openedCharts: Pick<OpenedCharts, 'isOpen'>;
};

export function makeRequireOpenChart({ runs, releases, openedCharts }: RequireOpenChartParts): RequireOpenChart {
  return async (run, { caller }) => {
    if (!needsOpening(caller, run)) return caller.purpose;
    if (!(await isRestricted({ runs, releases }, run))) return caller.purpose;
    if (await openedCharts.isOpen(run.id, caller.actor)) return 'BTG';
    throw new AppError('forbidden', whyClosed(run));
  };
}

/** The keys of an engine without people go on as before. Who opened this encounter in the EHR was let into the chart by the EHR. */
function needsOpening({ kind, opened }: Caller, { site, encounter }: Run): boolean {
  if (kind !== 'person' && kind !== 'token') return false;
  return opened?.site !== site || opened.encounter !== encounter;
}

/** Reads the results of the run: the labels are in them. */
export async function isRestricted(
  { runs, releases }: Pick<RequireOpenChartParts, 'runs' | 'releases'>,
  run: Run,
): Promise<boolean> {
  if (isRestrictedRun(run, await runs.results(run.id))) return true;
  const { site, encounter, patient, session } = run;
  if (patient === undefined) return false;
  return releases.has({ site, encounter, patient, ...(session !== undefined && { session }) });
}

function whyClosed({ id }: Run): string {
  return (
    'This chart is restricted: open it with a reason, of which the privacy officer is notified ' +
    `(POST /ops/runs/${id}/break-glass, or npm run cli -- runs break-glass ${id} --reason)`
  );
}
