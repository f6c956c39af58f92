// Finds who speaks in each sentence of a conversation with labels ("Speaker 1: …", "Doctor: …"). Who is the clinician follows from the
// label, or from what each speaker does: clinicians ask and order, patients speak of themselves and address a doctor.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { isComplaint } from '../knowledge/findings.ts';
import { isPlanning } from './considered-scopes.ts';
import { hasWord, isWord } from './history.ts';
import type { SentenceView } from './mentions.ts';
import { skipLabel } from './questions.ts';
import { NO_TURN, type Turn } from './turn.ts';

/** Adds who speaks. A plan goes on until the end of the turn. */
export function withTurns(views: readonly SentenceView[], text: string): SentenceView[] {
  let planner: string | undefined;
  return readTurns(views, text).map((turn, at) => {
    const view = { ...(views[at] as SentenceView), turn };
    const isPlanContinued = planner !== undefined && turn.speaker === planner;
    planner = isPlanContinued || isPlanning(view) ? turn.speaker : undefined;
    return { ...view, isPlanContinued };
  });
}

/** Returns a turn for each sentence of the text. */
function readTurns(views: readonly SentenceView[], text: string): Turn[] {
  const speakers = speakersOf(views);
  const clinician = clinicianOf(views, speakers);
  const named = new Map(views.map((view, at) => [speakers[at], labelRole(view)] as const).filter(([, role]) => role));
  return views.map((view, at) => {
    const speaker = speakers[at];
    const turn = { ...NO_TURN, speaker, isNewLine: beginsLine(view, text) };
    if (speaker === undefined) return turn;
    const role = named.get(speaker);
    if (role !== undefined || clinician === undefined) return { ...turn, role };
    return { ...turn, role: speaker === clinician ? 'clinician' : 'patient' };
  });
}

function beginsLine({ tokens, sentence: { from } }: SentenceView, text: string): boolean {
  return /[\n\r]/.test(text.slice(tokens[from - 1]?.end ?? 0, tokens[from]?.start));
}

/** A sentence without a label belongs to the speaker of the sentence before. A heading and the line of a list belong to none. */
function speakersOf(views: readonly SentenceView[]): (string | undefined)[] {
  let speaker: string | undefined;
  return views.map((view) => {
    const { from } = view.sentence;
    const label = view.tokens.slice(from, skipLabel(view, from));
    const isName = label.length < 2 || label.some(({ number }) => number !== undefined) || label.at(-1)?.isCapital;
    if (/#|^-/.test(view.tokens[from]?.marks ?? '')) speaker = undefined;
    else if (label.length > 0 && isName) speaker = label.map(({ text, number }) => number ?? text).join(' ');
    return speaker;
  });
}

function labelRole(view: SentenceView): Turn['role'] {
  const { from } = view.sentence;
  const label = { from, to: skipLabel(view, from) };
  if (hasWord(view, label, 'clinician-label')) return 'clinician';
  return hasWord(view, label, 'patient-label') ? 'patient' : undefined;
}

/** Fewer signs of a clinician may be chance. */
const LEAST_POINTS = 2;

/** Returns the speaker with the most signs of a clinician, if no other has as many. */
function clinicianOf(views: readonly SentenceView[], speakers: readonly (string | undefined)[]): string | undefined {
  const points = new Map<string, number>();
  for (const [at, view] of views.entries()) {
    const speaker = speakers[at];
    if (speaker !== undefined) points.set(speaker, (points.get(speaker) ?? 0) + clinicianPoints(view));
  }
  const [best, second] = [...points].sort(([, one], [, other]) => other - one);
  if (best === undefined || second === undefined) return undefined;
  return best[1] >= LEAST_POINTS && best[1] > second[1] ? best[0] : undefined;
}

function clinicianPoints(view: SentenceView): number {
  const { sentence, mentions } = view;
  const orders = view.cues('order').length + view.cues('plan').length;
  const advice = Math.min(1, view.cues('advice').length + view.cues('if').length);
  const isOwn = !sentence.isQuestion && orders === 0 && hasWord(view, sentence, 'first-person');
  const hasOwnComplaint = isOwn && mentions.some(({ finding }) => isComplaint(finding));
  return (sentence.isQuestion ? 1 : 0) + orders + advice - (callsDoctor(view) ? 3 : 0) - (hasOwnComplaint ? 2 : 0);
}

/** True of "Thank you, doctor." and "Doctora, me duele". */
function callsDoctor(view: SentenceView): boolean {
  const { tokens, sentence } = view;
  const start = skipLabel(view, sentence.from);
  for (let at = start; at < sentence.to; at++) {
    if (!isWord(view, at, 'clinician-label')) continue;
    const isCutBefore = at === start || (tokens[at]?.before ?? 0) >= BREAKS.comma;
    const isCutBehind = at + 1 >= sentence.to || (tokens[at + 1]?.before ?? 0) >= BREAKS.comma;
    if (isCutBefore && isCutBehind) return true;
  }
  return false;
}
