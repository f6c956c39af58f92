// What is said to people about a feed that is in trouble: what happened, and what to do. Without ids and without the EHR's words.
import { HEARTBEAT_SECONDS } from './subscription.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export function silentMessage({
  silentMs,
  during,
}: {
  readonly silentMs: number;
  readonly during?: string | undefined;
}): string {
  const when = during === undefined ? '' : ` during ${during}`;
  return `No event has come for ${durationWords(silentMs)}${when}: look at what sends them, and at events.expect of the site`;
}

export function heartbeatMessage(isAhead: boolean): string {
  const why = isAhead
    ? 'the EHR says that it has told more than has come'
    : 'and the EHR does not say how it is with the Subscription';
  return `No heartbeat has come for ${(HEARTBEAT_SECONDS * 5) / 2} seconds, ${why}: look whether the EHR can reach PUBLIC_URL`;
}

export function refusedMessage(why: string): string {
  return `The EHR takes no Subscription of ours (${why}): look at the rights of the client in ehr.auth, or set events.subscription.kind to none; what changes is searched for meanwhile`;
}

export function switchedOffMessage(count: number): string {
  return `The EHR has switched our Subscription off ${count} times within an hour: look whether it can reach PUBLIC_URL, and what it says in Subscription.error`;
}

export function waitingMessage(): string {
  return 'The EHR has taken our Subscription and does not make it active: somebody there may have to, or it cannot reach PUBLIC_URL';
}

/** `why`: what the EHR was told to have said, in our words. */
export function searchMessage(why: string): string {
  return `What was missed cannot be searched for: ${why}`;
}

export function crowdedMessage(what: string, { site, since }: { readonly site: string; readonly since: Date }): string {
  const start = `npm run cli -- runs start ${site} --since ${since.toISOString().slice(0, 19)}Z`;
  return `More has changed in one moment than one search gives (${what}): start what is missing with ${start}`;
}

/** `40 minutes`, `3 hours`: rounded down. */
function durationWords(ms: number): string {
  const [count, unit] = ms < 2 * HOUR_MS ? [Math.floor(ms / MINUTE_MS), 'minute'] : [Math.floor(ms / HOUR_MS), 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
