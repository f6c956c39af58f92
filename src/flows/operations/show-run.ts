// How a run is, for the programs of the organization that it counts to: its state, what was written, and the differential where the
// site keeps that in the engine. Nobody else learns that there is such a run.
import type { Diagnosis } from '../../domain/diagnosis/diagnosis.ts';
import { AppError } from '../../domain/errors.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Runs } from '../../ports/runs.ts';
import type { LoadedSite } from '../../ports/sites.ts';

type RunQuestion = {
  readonly site: LoadedSite;
  readonly id: string;
  /** Who asks: a key of this organization. */
  readonly organization: string;
  readonly keyId: string;
};

export type ShownRun = { readonly run: Run; readonly diagnosis?: Diagnosis };

/** Throws `notFound` for whatever is not a run of this site and organization. */
export type ShowRun = (question: RunQuestion) => Promise<ShownRun>;

type ShowRunParts = {
  readonly runs: Pick<Runs, 'find' | 'results'>;
  readonly audit: Pick<Audit, 'append'>;
};

export function makeShowRun({ runs, audit }: ShowRunParts): ShowRun {
  return async ({ site, id, organization, keyId }) => {
    const run = await runs.find(id);
    if (run === undefined || run.site !== site.name || run.organization !== organization) {
      throw new AppError('notFound', 'There is no such run');
    }
    const diagnosis = await differentialOf(site, run);
    if (diagnosis === undefined) return { run };
    // Before anybody sees it: a view that cannot be kept in the trail is none.
    await audit.append({ action: 'run.view', actor: `key/${keyId}`, site: site.name, run: run.id });
    return { run, diagnosis };
  };

  /** Elsewhere it stands in the chart, where whoever may see it looks for it. */
  async function differentialOf(site: LoadedSite, run: Run): Promise<Diagnosis | undefined> {
    if (run.status !== 'written' || site.settings.write.differential !== 'engine') return undefined;
    return (await runs.results(run.id)).diagnose?.diagnosis;
  }
}
