// What one shape of a message says, before it is known by what a repeat of it is recognised; and how several of them become one.
import { createHash } from 'node:crypto';
import type { SaidEncounter, SubscriptionNews, Understood } from '../../../domain/event/delivery.ts';

/** Where it came in: whose references are meant, and whose clocks. */
export type ReadingPlace = { readonly site: string; readonly baseUrl: string | undefined; readonly timeZone: string };

export type Saying = {
  readonly kind: 'encounters';
  readonly encounters: readonly SaidEncounter[];
  /** What is the same whichever way it comes: `Encounter/1/_history/3`, `hl7:…`. */
  readonly key?: string;
  /** What the sender calls it, among all that it ever sends. */
  readonly name?: string;
  /** The same, as it is shown to people. */
  readonly eventId?: string;
  readonly occurredAt?: Date;
  readonly subscription?: SubscriptionNews;
};
export type Nothing = Extract<Understood, { readonly kind: 'nothing' }>;
export type NotUnderstood = Extract<Understood, { readonly kind: 'not-understood' }>;
export type Reading = Saying | Nothing | NotUnderstood;

/** An id as FHIR allows it, and that is no way to somewhere else in an address. */
export const FHIR_ID = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/;
const MAX_SHOWN_ID = 255;

export function nothing(why: string, more: Omit<Partial<Nothing>, 'kind' | 'why'> = {}): Nothing {
  return { kind: 'nothing', why, ...more };
}

export function notUnderstood(why: string): NotUnderstood {
  return { kind: 'not-understood', why };
}

/** One message that says several things: all encounters, each once. One part that cannot be understood spoils the whole. */
export function mergeReadings(readings: readonly Reading[], whyNothing: string): Reading {
  const bad = readings.find((reading) => reading.kind === 'not-understood');
  if (bad !== undefined) return bad;
  const says = readings.filter((reading) => reading.kind === 'encounters');
  const subscription = readings.find(hasNews)?.subscription;
  const news = subscription && { subscription };
  const [first] = says;
  if (first === undefined) {
    const silent = readings.filter((reading) => reading.kind === 'nothing');
    const mustSearch = silent.some((reading) => reading.mustSearch) && { mustSearch: true };
    const why = silent.length === 1 ? (silent[0]?.why ?? whyNothing) : whyNothing;
    return nothing(why, { ...news, ...mustSearch });
  }
  if (says.length === 1) return { ...first, ...news };
  const key = commonKey(says);
  const occurredMs = Math.max(...says.flatMap(({ occurredAt }) => occurredAt?.getTime() ?? []));
  return {
    kind: 'encounters',
    encounters: unitedEncounters(says),
    ...(key !== undefined && { key }),
    ...(Number.isFinite(occurredMs) && { occurredAt: new Date(occurredMs) }),
    ...news,
  };
}

function hasNews(reading: Reading): reading is (Saying | Nothing) & { readonly subscription: SubscriptionNews } {
  return reading.kind !== 'not-understood' && reading.subscription !== undefined;
}

/** Whoever calls it an emergency is believed. */
function unitedEncounters(says: readonly Saying[]): readonly SaidEncounter[] {
  const isUrgentBy = new Map<string, boolean>();
  for (const { encounter, isUrgent } of says.flatMap(({ encounters }) => encounters)) {
    isUrgentBy.set(encounter, isUrgent || isUrgentBy.get(encounter) === true);
  }
  return [...isUrgentBy].map(([encounter, isUrgent]) => ({ encounter, isUrgent }));
}

/** One that is missing leaves nothing to recognise all of it by. */
function commonKey(says: readonly Saying[]): string | undefined {
  const keys = new Set(
    says.map((saying) => saying.key ?? (saying.name === undefined ? undefined : nameKey(saying.name))),
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

/** A sender's id that can be stored and shown: short, and without characters that no eye sees. */
export function shownId(id: unknown): string | undefined {
  const text = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
  if (typeof text !== 'string' || text === '' || text.length > MAX_SHOWN_ID) return undefined;
  return /[\p{Cc}\p{Cs}]/u.test(text) ? undefined : text;
}
