// Prints a chart entry for people: patient and time, urgency, note, candidates, author and signature, and related resources.
import { datePhrase, momentPhrase, phraseOf } from '../../domain/history/chart-text.ts';
import { listOf, memberOf, textOf } from '../../domain/raw-members.ts';
import type { Chart, ChartSession } from './sandbox-chart.ts';
import { allOf, newestOf, redFlagOf, referenceOf } from './sandbox-chart.ts';
import { addDifferential } from './sandbox-differential.ts';
import { paragraphsOf } from './sandbox-narrative.ts';
import { addNote, noteOf } from './sandbox-note.ts';
import type { Page } from './sandbox-page.ts';
import {
  ageAt,
  countWords,
  deviceWords,
  isRecording,
  isRules,
  personName,
  recordingWords,
  whoIs,
} from './sandbox-words.ts';

export function addHead(page: Page, { encounter, find }: Chart): void {
  const period = memberOf(encounter, 'period');
  const patient = find(textOf(memberOf(encounter, 'subject'), 'reference'));
  const age = ageAt(memberOf(patient, 'birthDate'), memberOf(period, 'start'));
  const born = datePhrase(memberOf(patient, 'birthDate'));
  const person = [
    personName(patient) ?? 'A patient without a name',
    ...(age === undefined ? (born === undefined ? [] : [`born ${born}`]) : [`${age} years`]),
    phraseOf(memberOf(patient, 'gender')),
  ];
  page.add(joined(person), { ink: 'strong' });
  page.add(joined([`Encounter/${textOf(encounter, 'id') ?? '?'}`, ...careWords(encounter), ...times(period)]));
  const seenBy = listOf(encounter, 'participant').map((participant) =>
    clinicianWords(find, memberOf(participant, 'individual')),
  );
  if (seenBy.some((name) => name !== undefined)) page.add(`Seen by ${joined(seenBy)}`);
  const reasons = listOf(encounter, 'reasonCode').map((reason) => phraseOf(memberOf(reason, 'text')));
  if (reasons.some((reason) => reason !== undefined)) page.add(`Complaint: ${joined(reasons)}`);
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(', ');
}

function careWords(encounter: unknown): readonly (string | undefined)[] {
  const care = memberOf(encounter, 'class');
  const type = phraseOf(memberOf(listOf(encounter, 'type')[0], 'text'));
  const code = phraseOf(memberOf(care, 'code'));
  return [
    type,
    CLASSES[code ?? ''] ?? phraseOf(memberOf(care, 'display')) ?? code,
    phraseOf(memberOf(encounter, 'status')),
  ];
}

const CLASSES: Readonly<Record<string, string>> = {
  AMB: 'ambulatory',
  EMER: 'emergency',
  IMP: 'inpatient',
  ACUTE: 'inpatient',
  HH: 'at home',
  VR: 'virtual',
};

function times(period: unknown): readonly string[] {
  const [start, end] = [momentPhrase(memberOf(period, 'start')), momentPhrase(memberOf(period, 'end'))];
  if (start === undefined) return [];
  const day = start.slice(0, 10);
  return [end === undefined ? `since ${start}` : `${start} to ${end.startsWith(`${day} `) ? end.slice(11) : end}`];
}

function clinicianWords(find: Chart['find'], individual: unknown): string | undefined {
  const person = find(textOf(individual, 'reference'));
  const name = personName(person) ?? phraseOf(memberOf(individual, 'display'));
  const role = phraseOf(memberOf(memberOf(listOf(person, 'qualification')[0], 'code'), 'text'));
  return name !== undefined && role !== undefined ? `${name} (${role})` : name;
}

/** Prints the recordings of an encounter that has no documents yet. */
export function addRecordings(page: Page, chart: Chart): void {
  const recordings = chart.resources.filter(({ resource }) => isRecording(resource)).map(referenceOf);
  for (const recording of recordings) page.add(`Recording: ${recordingWords(chart, recording)}`);
}

export function addSession(page: Page, chart: Chart, session: ChartSession): void {
  const { standing, retired } = session;
  const documents = standing.filter(({ resourceType }) => resourceType !== 'Provenance');
  if (documents.length === 0) {
    page.add('RETRACTED: this entry was entered in error. Do not rely on any of it.', { ink: 'loud' });
    page.add(countWords(retired.map(({ resourceType }) => resourceType)), { indent: 2 });
    return;
  }
  addTriage(page, chart, session);
  page.gap();
  addNote(page, session);
  addDifferential(page, session);
  page.gap();
  addOrigin(page, chart, session);
}

function deviceOf({ find }: Chart, session: ChartSession): unknown {
  const risk = newestOf(session, 'RiskAssessment');
  const references = [...listOf(noteOf(session), 'author'), memberOf(risk, 'performer')];
  return references.map((reference) => find(textOf(reference, 'reference'))).find((device) => device !== undefined);
}

/** Prints the urgency first and loud. WHITE is never presented as safe. */
function addTriage(page: Page, chart: Chart, session: ChartSession): void {
  const flag = redFlagOf(session);
  if (flag === undefined) {
    const by = isRules(deviceOf(chart, session)) ? 'rules' : 'the model';
    const isLookedFor = newestOf(session, 'RiskAssessment') !== undefined;
    page.add(isLookedFor ? `No urgent sign was found by ${by}; this is no statement of safety.` : NOT_FLAGGED);
    if (session.retired.some(({ resourceType }) => resourceType === 'Flag')) {
      page.add('An earlier flag was retracted.');
    }
    return;
  }
  const title = phraseOf(memberOf(memberOf(flag, 'code'), 'text')) ?? 'Urgent attention';
  const isActive = textOf(flag, 'status') === 'active';
  page.add(isActive ? `*** RED *** ${title}` : `RED: ${title}. The flag is inactive: a person has looked.`, {
    ink: isActive ? 'loud' : 'strong',
  });
  // The notice and the title were printed before.
  const told = paragraphsOf(textOf(memberOf(flag, 'text'), 'div') ?? '').slice(1);
  for (const paragraph of told) if (paragraph !== title) page.add(paragraph, { indent: 2 });
}

const NOT_FLAGGED = 'Nothing is flagged as urgent; this is no statement of safety.';

function addOrigin(page: Page, chart: Chart, session: ChartSession): void {
  const device = deviceWords(deviceOf(chart, session));
  if (device !== undefined) page.hang('Written by  ', device);
  const signed = signatures(chart, session);
  for (const words of signed) page.hang('Signed by   ', words);
  if (signed.length === 0) page.add(unsignedWords(session), { ink: 'strong' });
  for (const recording of recordingsOf(session)) page.hang('Recording   ', recordingWords(chart, recording));
  for (const provenance of allOf(session, 'Provenance')) {
    const what = phraseOf(memberOf(listOf(memberOf(provenance, 'activity'), 'coding')[0], 'display'));
    const when = momentPhrase(memberOf(provenance, 'recorded'));
    page.hang('Provenance  ', joined([`Provenance/${textOf(provenance, 'id') ?? '?'}`, what, when]));
  }
  if (session.replaced.length > 0) page.hang('Replaces    ', `${session.replaced.map(referenceOf).join(', ')}`);
  if (session.retired.length > 0) {
    const types = session.retired.map(({ resourceType }) => resourceType);
    page.hang('Retracted   ', `${countWords(types)} (entered in error)`);
  }
}

function signatures(chart: Chart, session: ChartSession): readonly string[] {
  const note = noteOf(session);
  const attested = listOf(note, 'attester').map((attester) => {
    const when = momentPhrase(memberOf(attester, 'time'));
    return joined([whoIs(chart, memberOf(attester, 'party')) ?? 'a person without a name', when]);
  });
  if (attested.length > 0) return attested;
  const authenticator = memberOf(note, 'authenticator');
  return authenticator === undefined ? [] : [whoIs(chart, authenticator) ?? 'a person without a name'];
}

function unsignedWords(session: ChartSession): string {
  const note = noteOf(session);
  const status = textOf(note, 'docStatus') ?? textOf(note, 'status');
  return status === 'preliminary' || note === undefined ? 'Draft: not reviewed.' : `${status}: it names no reviewer.`;
}

/** Taken from the documents, else from their Provenance. */
function recordingsOf(session: ChartSession): readonly string[] {
  const related = allOf(session, 'DocumentReference').flatMap((document) =>
    listOf(memberOf(document, 'context'), 'related'),
  );
  const sources = allOf(session, 'Provenance')
    .flatMap((provenance) => listOf(provenance, 'entity'))
    .map((entity) => memberOf(entity, 'what'));
  const named = (references: readonly unknown[]) =>
    references.flatMap((reference) => textOf(reference, 'reference') ?? []);
  return [...new Set(related.length > 0 ? named(related) : named(sources))];
}
