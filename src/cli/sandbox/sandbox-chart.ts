// Picks what the engine wrote, session by session, from the Bundle of a visit. Types are not trusted, because any program can change
// the sandbox's charts over FHIR.
import type { Resource } from '@medplum/fhirtypes';
import { isRetired } from '../../domain/chart/existing-resource.ts';
import { codesOf, listOf, memberOf, textOf } from '../../domain/raw-members.ts';

/** One resource of any shape. */
export type ChartResource = { readonly resourceType: string; readonly id: string; readonly resource: unknown };

export type ChartSession = {
  readonly session: string;
  /** The current resources, newest first. */
  readonly standing: readonly ChartResource[];
  /** Earlier versions that were replaced. */
  readonly replaced: readonly ChartResource[];
  readonly retired: readonly ChartResource[];
};

export type Chart = {
  readonly resources: readonly ChartResource[];
  readonly encounter: unknown;
  readonly sessions: readonly ChartSession[];
  readonly find: (reference: string | undefined) => unknown;
};

const IDENTIFIERS = 'urn:chartwright:sandbox';

export function readChart(bundle: unknown, visit: string): Chart {
  const resources = listOf(bundle, 'entry').flatMap((entry): ChartResource[] => {
    const resource = memberOf(entry, 'resource');
    const [resourceType, id] = [textOf(resource, 'resourceType'), textOf(resource, 'id')];
    return resourceType === undefined || id === undefined ? [] : [{ resourceType, id, resource }];
  });
  const byReference = new Map(resources.map((one) => [referenceOf(one), one.resource]));
  const find = (reference: string | undefined) => byReference.get(reference?.replace(/\/_history\/.*$/, '') ?? '');
  return { resources, encounter: find(`Encounter/${visit}`), sessions: sessionsOf(resources, visit), find };
}

export function referenceOf({ resourceType, id }: Pick<ChartResource, 'resourceType' | 'id'>): string {
  return `${resourceType}/${id}`;
}

/** Counts the current resources that the engine wrote, by type. */
export function countWritten({ resources }: Chart): Readonly<Record<string, number>> {
  const { standing } = sortOut(resources.filter(({ resource }) => isWritten(resource)));
  const counts: Record<string, number> = {};
  for (const { resourceType } of standing) counts[resourceType] = (counts[resourceType] ?? 0) + 1;
  return counts;
}

function isWritten(resource: unknown): boolean {
  const labels = listOf(memberOf(resource, 'meta'), 'security').map((label) => textOf(label, 'code'));
  return labels.includes('AIAST') || namesOf(resource).length > 0;
}

/** Groups resources by session, oldest first. */
function sessionsOf(resources: readonly ChartResource[], visit: string): readonly ChartSession[] {
  const places = resources.flatMap((one) => {
    const session = sessionOf(one.resource, visit);
    return session === undefined ? [] : [{ session, one }];
  });
  const sessions = [...Map.groupBy(places, ({ session }) => session)].map(([session, members]) => {
    const ours = members.map(({ one }) => one).toSorted((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1));
    return { session, ...sortOut(ours) };
  });
  const firstTime = ({ standing, replaced, retired }: ChartSession) =>
    [...standing, ...replaced, ...retired].map(timeOf).toSorted()[0] ?? '';
  return sessions.toSorted((one, other) => (firstTime(one) < firstTime(other) ? -1 : 1));
}

function sortOut(ours: readonly ChartResource[]): Omit<ChartSession, 'session'> {
  const meant = ours.filter(({ resource }) => !isRetired(resource as Resource));
  const gone = new Set(meant.flatMap(({ resource }) => replacedBy(resource)));
  const isReplaced = (one: ChartResource) =>
    gone.has(referenceOf(one)) || textOf(one.resource, 'status') === 'superseded';
  return {
    standing: meant.filter((one) => !isReplaced(one)),
    replaced: meant.filter(isReplaced),
    retired: ours.filter(({ resource }) => isRetired(resource as Resource)),
  };
}

/** The engine's identifiers have the form `<encounter>/<session>/<document>`. */
function sessionOf(resource: unknown, visit: string): string | undefined {
  const [encounter, session, document] = namesOf(resource)[0]?.split('/') ?? [];
  return encounter === visit && document !== undefined ? session : undefined;
}

/** The name is in an identifier, or in a tag if the type has no identifier. */
function namesOf(resource: unknown): readonly string[] {
  const names = [
    ...listOf(resource, 'identifier').map((one) => [textOf(one, 'system'), textOf(one, 'value')]),
    ...listOf(memberOf(resource, 'meta'), 'tag').map((one) => [textOf(one, 'system'), textOf(one, 'code')]),
  ];
  return names.flatMap(([system, value]) => (system === IDENTIFIERS && value !== undefined ? [value] : []));
}

function replacedBy(resource: unknown): readonly string[] {
  return listOf(resource, 'relatesTo')
    .filter((related) => textOf(related, 'code') === 'replaces')
    .flatMap((related) => [memberOf(related, 'target'), memberOf(related, 'targetReference')])
    .flatMap((target) => textOf(target, 'reference') ?? []);
}

const TIMES = ['date', 'occurrenceDateTime', 'recordedDate', 'recorded', 'authoredOn'] as const;

function timeOf({ resource }: ChartResource): string {
  const said = TIMES.map((name) => textOf(resource, name)).find((time) => time !== undefined);
  return said ?? textOf(memberOf(resource, 'period'), 'start') ?? '';
}

/** The newest current resource of the type. */
export function newestOf({ standing }: ChartSession, resourceType: string): unknown {
  return standing.find((one) => one.resourceType === resourceType)?.resource;
}

export function allOf({ standing }: ChartSession, resourceType: string): readonly unknown[] {
  return standing.filter((one) => one.resourceType === resourceType).map(({ resource }) => resource);
}

/** The Flag of a RED triage. */
export function redFlagOf(session: ChartSession): unknown {
  return allOf(session, 'Flag').find((flag) => codesOf(memberOf(flag, 'code')).includes('RED'));
}
