// The content of one message format before its key is chosen, and how several contents are merged into one.
import { createHash } from 'node:crypto';
import type { EventContent, ReportedEncounter, SubscriptionUpdate } from '../../../domain/event/delivery.ts';

/** The site of the delivery: its references are relative to `baseUrl`, and its times to `timeZone`. */
export type ReadingPlace = { readonly site: string; readonly baseUrl: string | undefined; readonly timeZone: string };

export type EncounterReading = {
  readonly kind: 'encounters';
  readonly encounters: readonly ReportedEncounter[];
  /** A key that is the same in every feed: `Encounter/1/_history/3`, `hl7:…`. */
  readonly key?: string;
  /** The sender's unique name of the event. */
  readonly name?: string;
  /** The sender's id for display. */
  readonly eventId?: string;
  readonly occurredAt?: Date;
  readonly subscription?: SubscriptionUpdate;
};
export type IrrelevantEvent = Extract<EventContent, { readonly kind: 'nothing' }>;
export type UnreadableEvent = Extract<EventContent, { readonly kind: 'not-understood' }>;
export type Reading = EncounterReading | IrrelevantEvent | UnreadableEvent;

/** A valid FHIR id, without path segments such as `..`. */
export const FHIR_ID = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/;
const MAX_SHOWN_ID = 255;
/** Such an event names no encounter: the EHR is searched for those that it has changed. */
export const PATIENTS_MERGED = 'Patients were merged: the encounters that have changed are searched for';

export function nothing(why: string, more: Omit<Partial<IrrelevantEvent>, 'kind' | 'why'> = {}): IrrelevantEvent {
  return { kind: 'nothing', why, ...more };
}

export function notUnderstood(why: string): UnreadableEvent {
  return { kind: 'not-understood', why };
}

/** Merges the parts of one message: each encounter once. If one part cannot be parsed, the whole message counts as not parsed. */
export function mergeReadings(readings: readonly Reading[], whyNothing: string): Reading {
  const bad = readings.find((reading) => reading.kind === 'not-understood');
  if (bad !== undefined) return bad;
  const withEncounters = readings.filter((reading) => reading.kind === 'encounters');
  const subscription = readings.find(hasUpdate)?.subscription;
  const update = subscription && { subscription };
  const [first] = withEncounters;
  if (first === undefined) {
    const irrelevant = readings.filter((reading) => reading.kind === 'nothing');
    const mustSearch = irrelevant.some((reading) => reading.mustSearch) && { mustSearch: true };
    const why = irrelevant.length === 1 ? (irrelevant[0]?.why ?? whyNothing) : whyNothing;
    return nothing(why, { ...update, ...mustSearch });
  }
  if (withEncounters.length === 1) return { ...first, ...update };
  const key = commonKey(withEncounters);
  const occurredMs = Math.max(...withEncounters.flatMap(({ occurredAt }) => occurredAt?.getTime() ?? []));
  return {
    kind: 'encounters',
    encounters: unitedEncounters(withEncounters),
    ...(key !== undefined && { key }),
    ...(Number.isFinite(occurredMs) && { occurredAt: new Date(occurredMs) }),
    ...update,
  };
}

function hasUpdate(
  reading: Reading,
): reading is (EncounterReading | IrrelevantEvent) & { readonly subscription: SubscriptionUpdate } {
  return reading.kind !== 'not-understood' && reading.subscription !== undefined;
}

/** An encounter is urgent if any part says so. */
function unitedEncounters(readings: readonly EncounterReading[]): readonly ReportedEncounter[] {
  const isUrgentBy = new Map<string, boolean>();
  for (const { encounter, isUrgent } of readings.flatMap(({ encounters }) => encounters)) {
    isUrgentBy.set(encounter, isUrgent || isUrgentBy.get(encounter) === true);
  }
  return [...isUrgentBy].map(([encounter, isUrgent]) => ({ encounter, isUrgent }));
}

/** Undefined if one part has no key: then repeats of the whole cannot be identified by keys. */
function commonKey(readings: readonly EncounterReading[]): string | undefined {
  const keys = new Set(
    readings.map((reading) => reading.key ?? (reading.name === undefined ? undefined : nameKey(reading.name))),
  );
  const [first] = keys;
  if (keys.size === 1 || keys.has(undefined)) return keys.has(undefined) ? undefined : first;
  return hashKey([...keys].sort().join('\n'));
}

export function nameKey(name: string): string {
  return `id:${name}`;
}

export function hashKey(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** The sender's id if it can be stored and shown: short, and without invisible characters. */
export function shownId(id: unknown): string | undefined {
  const text = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
  if (typeof text !== 'string' || text === '' || text.length > MAX_SHOWN_ID) return undefined;
  return /[\p{Cc}\p{Cs}]/u.test(text) ? undefined : text;
}
