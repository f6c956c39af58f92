// What people do with runs and sites: see, start, repeat, end, decide, pause, explain, take back. Put together for the operator's door.

import { makeManageReviewers } from '../flows/admin/manage-reviewers.ts';
import { makeTakeUpload } from '../flows/intake/take-upload.ts';
import { makeExplainEncounter } from '../flows/operations/explain-encounter.ts';
import { makeFindEncounters } from '../flows/operations/find-encounters.ts';
import { makeListAside } from '../flows/operations/list-quarantined.ts';
import { makeOperateRuns } from '../flows/operations/operate-runs.ts';
import { makePauseSite } from '../flows/operations/pause-site.ts';
import { makeReadAudit } from '../flows/operations/read-audit.ts';
import { makeRecallRuns } from '../flows/operations/recall-runs.ts';
import { makeShowRun } from '../flows/operations/show-run.ts';
import { makeAskPermission } from '../flows/run-steps/ask-permission.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Sites } from '../ports/sites.ts';
import type { Stores } from './make-stores.ts';
import type { Charts } from './open-charts.ts';
import type { RunWork } from './open-runs.ts';

type OversightParts = {
  readonly stores: Stores;
  readonly sites: Sites;
  readonly charts: Charts;
  readonly runs: RunWork;
};

export function makeOversight({ stores, sites, charts, runs: { flows: story, reviewRun, wake } }: OversightParts) {
  const { ehrs } = charts;
  const runtime = systemRuntime;
  const parts = { ...stores, ...story, sites, ehrs, runtime };
  return {
    operateRuns: makeOperateRuns({ ...parts, findEncounters: makeFindEncounters({ ehrs }), onAccepted: wake }),
    reviewRun,
    recallRuns: makeRecallRuns(parts),
    explainEncounter: makeExplainEncounter({ ...parts, askPermission: makeAskPermission(parts) }),
    pauseSite: makePauseSite({ ...parts, onResumed: wake }),
    readAudit: makeReadAudit(stores),
    listAside: makeListAside(stores),
    manageReviewers: makeManageReviewers(parts),
    takeUpload: makeTakeUpload({ ...parts, onAccepted: wake }),
    showRun: makeShowRun(stores),
  };
}
