// Reads a folder's site.yaml, and those it extends, as the settings of a site: checked, with secrets and defaults filled in. All problems
// are reported together, each with its place and without values.
import type { Place, Problem } from '../../domain/mapping/mapping.ts';
import { present } from '../../domain/present.ts';
import { diagnosisTableOf } from '../../domain/site/diagnosis-table.ts';
import { isUnencryptedRemote } from '../../domain/site/plain-address.ts';
import type { EhrSettings, EventSettings, SiteSettings } from '../../domain/site/site.ts';
import { parseSource, type SourceMap, type SourceNode } from '../../mapping/mapping.ts';
import { emptySettings } from './empty-settings.ts';
import { mergeSettings, nodeAt } from './merge-settings.ts';
import { isText, type Reading } from './settings-reader.ts';
import { DEFAULTS_FILE, SITE_DEFAULTS } from './site-defaults.ts';
import { launchProblems, toLaunch } from './site-launch.ts';
import { placeOfKey, type ReadSite, SITE } from './site-schema.ts';
import { filesNamedIn, type Secrets, substitute } from './substitution.ts';

export type SettingsParts = {
  readonly name: string;
  /** Path of the folder's own site.yaml in messages; the place of problems that have no better one. */
  readonly file: string;
  /** Its own settings and the inherited ones, nearest first. */
  readonly trees: readonly SourceMap[];
  readonly secrets: Secrets;
};

export type SettingPath = readonly (string | number)[];

export type SettingsRead = {
  /** Absent if there are problems. */
  readonly settings?: SiteSettings;
  readonly problems: readonly Problem[];
  /** Secrets that are missing, if they may be. */
  readonly warnings: readonly Problem[];
  /** The place of the setting with this path, as in `write`, `note`. */
  readonly placeOf: (...path: SettingPath) => Place;
  /** True if no file sets it. */
  readonly isDefault: (...path: SettingPath) => boolean;
  /** A folder that is not a site may be incomplete. */
  readonly isSite: boolean;
};

/** True for a folder with the address of an EHR, its own or inherited. */
export function hasEhr(trees: readonly SourceMap[]): boolean {
  return trees.some((tree) => {
    const node = nodeAt(tree, 'ehr', 'baseUrl');
    return node !== undefined && (node.kind !== 'scalar' || node.value !== null);
  });
}

/** Returns the paths in `${file:…}`, which are read before the settings. */
export function filesNeeded(trees: readonly SourceMap[]): ReadonlySet<string> {
  return new Set(trees.flatMap((tree) => [...textsIn(tree)].flatMap(filesNamedIn)));
}

function* textsIn(node: SourceNode): Generator<string> {
  if (isText(node)) yield node.value;
  if (node.kind === 'list') for (const item of node.items) yield* textsIn(item);
  if (node.kind === 'map') for (const { value } of node.entries) yield* textsIn(value);
}

export function readSiteSettings({ name, file, trees, secrets }: SettingsParts): SettingsRead {
  const defaults = readDefaults();
  const merged = mergeSettings(trees, defaults);
  const problems: Problem[] = trees.flatMap((tree) => [...emptySettings(tree, defaults)]);
  const shownPlace = (place: Place): Place => (place.file === DEFAULTS_FILE ? { file, line: 1, column: 1 } : place);
  const report = (place: Place, message: string) => problems.push({ place: shownPlace(place), message });
  const warnings: Problem[] = [];
  const isSite = hasEhr(trees);
  const resolve: Reading['resolve'] = (node) => {
    const { text, mistakes } = substitute(node.value, secrets, name);
    // A folder that is not a site is a template; its secrets are set by the sites that extend it.
    for (const { at, message, isLack = false } of isSite ? mistakes : []) {
      if (isLack && secrets.mayLack) warnings.push({ place: shownPlace(node.placeAt(at)), message });
      else report(node.placeAt(at), message);
    }
    return mistakes.length === 0 ? text : undefined;
  };
  const nodeOf = (path: SettingPath) => nodeAt(merged, ...path) ?? merged;
  const placeOf: SettingsRead['placeOf'] = (...path) => shownPlace(nodeOf(path).place);
  const isDefault: SettingsRead['isDefault'] = (...path) => {
    const node = nodeAt(merged, ...path);
    return node === undefined || node.place.file === DEFAULTS_FILE;
  };

  const read = SITE(merged, '', { report, resolve, placeOfKey });
  if (read !== undefined && problems.length === 0) problems.push(...ruleProblems(read, placeOf));
  const settings = read !== undefined && problems.length === 0 && { settings: toSettings(read) };
  return { ...settings, problems, warnings, placeOf, isDefault, isSite };
}

function readDefaults(): SourceMap {
  const { root } = parseSource({ file: DEFAULTS_FILE, text: SITE_DEFAULTS });
  if (root?.kind !== 'map') throw new Error('the built-in defaults cannot be read');
  return root;
}

/** Problems between two settings. */
function* ruleProblems(read: ReadSite, placeOf: SettingsRead['placeOf']): Generator<Problem> {
  const { write, engines } = read;
  if (write.review === 'final') {
    const place = placeOf('write', 'review');
    if (write.signedWithoutReview === undefined) {
      const needs = 'acceptedBy, role, date, until and reason';
      yield { place, message: `write.review: final needs write.signedWithoutReview with ${needs}: who answers for it` };
    }
    if (write.diagnosis.length > 0) {
      yield { place, message: 'write.review: final is for notes alone: it needs an empty list in write.diagnosis' };
    }
  }
  const signed = write.signedWithoutReview;
  if (signed !== undefined && signed.until <= signed.date) {
    const place = placeOf('write', 'signedWithoutReview', 'until');
    yield { place, message: 'write.signedWithoutReview.until is a day after its date' };
  }
  yield* listProblems(write, placeOf);
  if (engines.allow.length === 0) {
    yield {
      place: placeOf('engines', 'allow'),
      message: 'engines.allow is empty: no run could ever start; mode: off says that',
    };
  }
  yield* reminderProblems(read, placeOf);
  yield* pollProblems(read, placeOf);
  yield* cdsProblems(read, placeOf);
  for (const { at, message } of launchProblems(read)) yield { place: placeOf('launch', at), message };
}

/** Who can change the keys on their way can call in the name of the EHR. */
function* cdsProblems({ cds }: ReadSite, placeOf: SettingsRead['placeOf']): Generator<Problem> {
  if (cds === undefined || !isUnencryptedRemote(cds.jwksUri)) return;
  const message = 'cds.jwksUri is https: over plain http anyone on the way could put in keys of their own';
  yield { place: placeOf('cds', 'jwksUri'), message };
}

/** Without the moment of the last search each poll would read all encounters of all time. */
function* pollProblems({ events: { poll } }: ReadSite, placeOf: SettingsRead['placeOf']): Generator<Problem> {
  if (poll === undefined) return;
  const example = 'as in Encounter?_lastUpdated=gt{since}';
  const place = placeOf('events', 'poll', 'query');
  if (!/^Encounter\?./.test(poll.query.trim())) {
    yield { place, message: `events.poll.query begins with Encounter?, ${example}` };
  } else if (!poll.query.includes('{since}')) {
    yield { place, message: `events.poll.query has no {since}, the moment of the last search: add it, ${example}` };
  }
}

function* reminderProblems({ review, attention }: ReadSite, placeOf: SettingsRead['placeOf']): Generator<Problem> {
  const { remindAfter = 0, escalateAfter } = review;
  if (escalateAfter !== undefined && escalateAfter < remindAfter) {
    const place = placeOf('review', 'escalateAfter');
    yield { place, message: 'review.escalateAfter is shorter than review.remindAfter: it is what comes after it' };
  }
  if (attention?.to.length === 0) {
    const place = placeOf('attention', 'to');
    yield {
      place,
      message: 'attention.to is empty, so no one would be notified; remove attention to send no notifications',
    };
  }
}

function* listProblems(write: ReadSite['write'], placeOf: SettingsRead['placeOf']): Generator<Problem> {
  const seen = new Set<string>();
  for (const list of ['note', 'diagnosis'] as const) {
    for (const [index, document] of write[list].entries()) {
      const place = placeOf('write', list, index);
      if (document === 'notice') {
        yield { place, message: 'notice is made by itself, before the others: take it out' };
      } else if (seen.has(document)) {
        yield { place, message: `${document} is named twice in write; it is made once` };
      }
      seen.add(document);
    }
  }
}

function toSettings(read: ReadSite): SiteSettings {
  const { extends: _, ehr, events, recording, engines, review, attention, codes, launch, ...same } = read;
  const ehrOfSite = toEhr(ehr);
  const { transcriptOnlyAfter, ...otherEngines } = engines;
  const { settle, wait, ...otherRecording } = recording;
  const { remindAfter, escalateAfter, by } = review;
  return {
    ...same,
    ...ehrOfSite,
    ...toLaunch(launch, ehrOfSite.ehr?.baseUrl),
    events: toEvents(events),
    engines: present({ ...otherEngines, transcriptOnlyAfterMs: transcriptOnlyAfter }),
    recording: { ...otherRecording, settleMs: settle, waitMs: wait },
    review: present({ by, remindAfterMs: remindAfter, escalateAfterMs: escalateAfter }),
    codes: { diagnosis: codes.diagnosis ?? diagnosisTableOf(read.region) },
    ...(attention && { attention: { afterMs: attention.after, to: attention.to } }),
  };
}

function toEhr(ehr: ReadSite['ehr']): { readonly ehr?: EhrSettings } {
  if (ehr?.baseUrl === undefined) return {};
  const { baseUrl, auth = { type: 'none' as const }, maxConcurrentWrites = 2, headers = {}, ...others } = ehr;
  return { ehr: { ...others, baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ''), auth, maxConcurrentWrites, headers } };
}

function toEvents({ poll, expect, ...same }: ReadSite['events']): EventSettings {
  return {
    ...same,
    ...(poll && { poll: { query: poll.query, everyMs: poll.every } }),
    ...(expect && { expect: { atLeastOneMs: expect.atLeastOne, ...(expect.during && { during: expect.during }) } }),
  };
}
