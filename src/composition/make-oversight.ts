// Makes the flows of operators and reviewers: they list, start, replay, cancel, review, explain and recall runs, pause sites and import codes.
import { makeManageReviewers } from '../flows/admin/manage-reviewers.ts';
import { makeManageCodes } from '../flows/codes/import-codes.ts';
import type { AcceptEvent } from '../flows/intake/accept-event.ts';
import { makeTakeUpload } from '../flows/intake/take-upload.ts';
import { makeExplainEncounter } from '../flows/operations/explain-encounter.ts';
import { makeFindEncounters } from '../flows/operations/find-encounters.ts';
import { makeListQuarantined } from '../flows/operations/list-quarantined.ts';
import { makeOpenQuarantined } from '../flows/operations/open-quarantined.ts';
import { makeOperateRuns } from '../flows/operations/operate-runs.ts';
import { makePauseSite } from '../flows/operations/pause-site.ts';
import { makeReadAudit } from '../flows/operations/read-audit.ts';
import { makeRecallRuns } from '../flows/operations/recall-runs.ts';
import { makeResumeRuns } from '../flows/operations/resume-runs.ts';
import { makeShowRun } from '../flows/operations/show-run.ts';
import { makeBreakGlass } from '../flows/people/break-glass.ts';
import { makeRequireOpenChart } from '../flows/people/require-open-chart.ts';
import { makeClaimDrafts } from '../flows/reviews/claim-drafts.ts';
import { makeListDrafts } from '../flows/reviews/list-drafts.ts';
import { makeReadDraft } from '../flows/reviews/read-draft.ts';
import { makeAskPermission } from '../flows/run-steps/ask-permission.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Reasoner } from '../ports/reasoner.ts';
import type { Sites } from '../ports/sites.ts';
import type { Stores } from './make-stores.ts';
import type { Charts } from './open-charts.ts';
import type { RunWork } from './open-runs.ts';

type OversightParts = {
  readonly stores: Stores;
  readonly sites: Sites;
  readonly charts: Charts;
  readonly runs: RunWork;
  readonly acceptEvent: AcceptEvent;
  readonly reasoner: Pick<Reasoner, 'engine'>;
};

export function makeOversight({
  stores,
  sites,
  charts,
  acceptEvent,
  reasoner,
  runs: { flows, reviewRun, wake },
}: OversightParts) {
  const { ehrs } = charts;
  const runtime = systemRuntime;
  const parts = { ...stores, ...flows, sites, ehrs, runtime };
  const operateRuns = makeOperateRuns({
    ...parts,
    findEncounters: makeFindEncounters({ ehrs }),
    requireOpenChart: makeRequireOpenChart(stores),
    onAccepted: wake,
  });
  const claimDrafts = makeClaimDrafts(parts);
  return {
    operateRuns,
    resumeRuns: makeResumeRuns({ ...parts, startRun: operateRuns.start, onResumed: wake }),
    reviewRun,
    recallRuns: makeRecallRuns(parts),
    explainEncounter: makeExplainEncounter({ ...parts, askPermission: makeAskPermission(parts) }),
    pauseSite: makePauseSite({ ...parts, onResumed: wake }),
    readAudit: makeReadAudit(stores),
    listQuarantined: makeListQuarantined(stores),
    openQuarantined: makeOpenQuarantined({ ...parts, acceptEvent }),
    listDrafts: makeListDrafts(parts),
    claimDrafts,
    readDraft: makeReadDraft({ ...parts, operateRuns, claimDrafts, reasoner }),
    manageReviewers: makeManageReviewers(parts),
    breakGlass: makeBreakGlass(parts),
    manageCodes: makeManageCodes(stores),
    takeUpload: makeTakeUpload({ ...parts, onAccepted: wake }),
    showRun: makeShowRun(stores),
  };
}
