// Opens a restricted chart for one caller and a time, with a reason: recorded, told to the privacy address of the site, and listed.
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Audit } from '../../ports/audit.ts';
import type { NoticeChannel, Notices } from '../../ports/notices.ts';
import type { OpenedChart, OpenedCharts } from '../../ports/opened-charts.ts';
import type { Releases } from '../../ports/releases.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import { findRun } from '../operations/find-run.ts';
import { byCaller } from './by-caller.ts';
import { isRestricted } from './require-open-chart.ts';

export type BreakGlassOrder = {
  readonly id: string;
  /** It may hold patient data: it is stored encrypted, and is neither in the audit trail nor in the notice. */
  readonly reason: string;
  readonly access: Access;
};

export type BrokenGlass = {
  readonly chart: OpenedChart;
  /** False if the site has no privacy address. */
  readonly isPrivacyTold: boolean;
};

/** Throws what the stores throw. */
export type BreakGlass = {
  /** Throws `notFound`, and `conflict` if the chart of the run is not restricted. */
  readonly open: (order: BreakGlassOrder) => Promise<BrokenGlass>;
  readonly list: OpenedCharts['list'];
};

export type BreakGlassParts = {
  readonly runs: Pick<Runs, 'find' | 'results'>;
  readonly releases: Pick<Releases, 'has'>;
  readonly openedCharts: Pick<OpenedCharts, 'open' | 'list'>;
  readonly notices: Pick<Notices, 'add'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'makeUuid'>;
};

const OPEN_MS = 60 * 60_000;

export function makeBreakGlass(parts: BreakGlassParts): BreakGlass {
  const { runs, openedCharts, audit, runtime } = parts;
  return {
    async open({ id, reason, access }) {
      const run = await findRun(runs, id, access.runs);
      if (!(await isRestricted(parts, run))) {
        throw new AppError('conflict', 'The chart of this run is not restricted: nothing needs to be opened');
      }
      const opening = runtime.makeUuid();
      const { actor } = access.caller;
      const entry = { action: 'chart.open', site: run.site, run: run.id, details: { opening } } as const;
      await audit.append(byCaller(access, entry, 'BTG'));
      // Before the chart is open, so that it is never open without a notice.
      const isPrivacyTold = await tellPrivacy(parts, run, { opening, actor });
      const facts = { id: opening, run: run.id, site: run.site, actor, reason };
      return { chart: await openedCharts.open({ ...facts, lifeMs: OPEN_MS }), isPrivacyTold };
    },

    list: (query) => openedCharts.list(query),
  };
}

async function tellPrivacy(
  { sites, notices, runtime }: BreakGlassParts,
  { site, id: run }: Run,
  details: { readonly opening: string; readonly actor: string },
): Promise<boolean> {
  const to = sites.current().sites.get(site)?.settings.privacy?.to;
  if (to === undefined) return false;
  await notices.add({ id: runtime.makeUuid(), kind: 'break-glass', channel: channelTo(to), site, run, details });
  return true;
}

function channelTo(to: string): NoticeChannel {
  return { kind: to.startsWith('https://') ? 'webhook' : 'mail', to };
}
