// Alarm messages of feeds for the operator: what happened, and what to do. They hold no ids and no text of the EHR.
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
  return `No event has come for ${durationText(silentMs)}${when}: check the sender, and events.expect of the site`;
}

export function heartbeatMessage(isAhead: boolean): string {
  const why = isAhead
    ? 'and the EHR reports more events than have arrived'
    : 'and the EHR does not report the status of the Subscription';
  return `No heartbeat has come for ${(HEARTBEAT_SECONDS * 5) / 2} seconds, ${why}: check whether the EHR can reach PUBLIC_URL`;
}

export function refusedMessage(why: string): string {
  return `The EHR refuses the engine's Subscription (${why}): check the permissions of the client in ehr.auth, or set events.subscription.kind to none; meanwhile the engine searches for changes`;
}

export function switchedOffMessage(count: number): string {
  return `The EHR has switched off the engine's Subscription ${count} times within an hour: check whether it can reach PUBLIC_URL, and see Subscription.error`;
}

export function waitingMessage(): string {
  return 'The EHR has accepted the engine’s Subscription but does not activate it: a person there may have to, or it cannot reach PUBLIC_URL';
}

/** `why`: the refusal, in the words of the engine. */
export function searchMessage(why: string): string {
  return `Missed events cannot be searched for: ${why}`;
}

export function crowdedMessage(what: string, { site, since }: { readonly site: string; readonly since: Date }): string {
  const start = `npm run cli -- runs start ${site} --since ${since.toISOString().slice(0, 19)}Z`;
  return `More resources have changed at one moment than one search returns (${what}): start the missing runs with ${start}`;
}

/** `40 minutes`, `3 hours`: rounded down. */
function durationText(ms: number): string {
  const [count, unit] = ms < 2 * HOUR_MS ? [Math.floor(ms / MINUTE_MS), 'minute'] : [Math.floor(ms / HOUR_MS), 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
