// What /ops/sandbox answers, as far as the command line shows it; and the addresses of its visits.
import type { RunStatus } from '../../domain/run/run.ts';
import { CliError } from '../shared/cli-error.ts';

export const SANDBOX_SITE = 'sandbox';

export type VisitAnswer = {
  readonly name: string;
  readonly story: string;
  readonly encounter: string;
  readonly patient: string;
  readonly language: string;
  readonly care: string;
  readonly trap?: string;
  readonly reason: string;
  readonly status: string;
  readonly recordings: number;
};

export type MergedVisitAnswer = VisitAnswer & { readonly survivor: string };
export type SandboxAnswer = { readonly baseUrl: string; readonly visits: readonly VisitAnswer[] };
export type SandboxResetAnswer = { readonly visits: number; readonly forgotten: number };

export type DrillAnswer = {
  readonly name: string;
  readonly title: string;
  readonly lookFor: readonly string[];
  readonly promise: {
    readonly status: RunStatus;
    readonly reason?: string;
    readonly resources?: Readonly<Record<string, number>>;
  };
  readonly maxSeconds: number;
  readonly unavailable?: string;
};

export type DrillUnderWayAnswer = {
  readonly drill: DrillAnswer;
  readonly visit: VisitAnswer;
  readonly startedAt: string;
  readonly endsAt: string;
};

export type DrillListAnswer = { readonly drills: readonly DrillAnswer[]; readonly underWay?: DrillUnderWayAnswer };

/** Visits are taken bare or as `Encounter/<name>`, stories for the newest visit of them; encoded for an address. */
export function visitPath(given: string, verb?: string): string {
  const name = given.replace(/^Encounter\//, '');
  if (name === '' || name.includes('/')) {
    throw new CliError('There is no encounter of such a name: npm run cli -- sandbox list shows them.');
  }
  return `/sandbox/visits/${encodeURIComponent(name)}${verb === undefined ? '' : `/${verb}`}`;
}
