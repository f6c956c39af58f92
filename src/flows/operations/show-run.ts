// Shows a run to programs of its organization: its state, the written documents, and the differential diagnosis if the site keeps that in the
// engine. Other callers do not learn that the run exists.
import type { Diagnosis } from '../../domain/diagnosis/diagnosis.ts';
import { AppError } from '../../domain/errors.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Runs } from '../../ports/runs.ts';
import type { LoadedSite } from '../../ports/sites.ts';

type RunQuestion = {
  readonly site: LoadedSite;
  readonly id: string;
  /** The organization of the API key. */
  readonly organization: string;
  readonly keyId: string;
};

export type ShownRun = { readonly run: Run; readonly diagnosis?: Diagnosis };

/** Throws `notFound` unless the run belongs to this site and organization. */
export type ShowRun = (question: RunQuestion) => Promise<ShownRun>;

type ShowRunParts = {
  readonly runs: Pick<Runs, 'find' | 'results'>;
  readonly audit: Pick<Audit, 'append'>;
};

export function makeShowRun({ runs, audit }: ShowRunParts): ShowRun {
  return async ({ site, id, organization, keyId }) => {
    const run = await runs.find(id, { sites: [site.name] });
    if (run === undefined || run.organization !== organization) {
      throw new AppError('notFound', 'There is no such run');
    }
    const diagnosis = await differentialOf(site, run);
    if (diagnosis === undefined) return { run };
    // Recorded first: without the audit entry nothing is shown.
    await audit.append({ action: 'run.view', actor: `key/${keyId}`, site: site.name, run: run.id });
    return { run, diagnosis };
  };

  /** For other settings the differential is in the chart, or is not shown. */
  async function differentialOf(site: LoadedSite, run: Run): Promise<Diagnosis | undefined> {
    if (run.status !== 'written' || site.settings.write.differential !== 'engine') return undefined;
    return (await runs.results(run.id)).diagnose?.diagnosis;
  }
}
