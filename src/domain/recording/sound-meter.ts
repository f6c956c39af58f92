// Where a recording is heard and where it is silent, told from its bytes while they pass by. Only for WAV with plain samples: what is
// compressed would have to be decoded first. Holds one frame and a bounded list of spans, however long the recording is.

import type { SoundSpan } from '../run/run.ts';
import type { RecordingType } from './recording.ts';
import { makeWavReader, type WavReader } from './wav-reader.ts';

export type SoundMeter = {
  readonly feed: (bytes: Uint8Array) => void;
  /** In order, without overlaps. Undefined where the recording does not tell. */
  readonly spans: () => readonly SoundSpan[] | undefined;
};

const FRAMES_A_SECOND = 50;
/** Of full scale. Nothing below it counts, however still the room is. */
const SILENCE_DB = -75;
/** So far above the noise of the room something is heard. */
const ABOVE_NOISE_DB = 9;
/** The noise is the lowest level of late: it is forgotten so fast. */
const NOISE_RISE_DB = 1 / FRAMES_A_SECOND;
/** From the first second it is known how still the room is. */
const OPENING_FRAMES = FRAMES_A_SECOND;
/** A shorter pause belongs to what is said. */
const HANGOVER_SECONDS = 0.3;
/** Shorter ones are clicks. */
const MIN_SPAN_SECONDS = 0.06;
const MAX_SPANS = 20_000;
/** A syllable: the level rises so much from its last low, and falls as much again. */
const SYLLABLE_DB = 6;
/** So many syllables a second are speech; a fan has none, an alarm more or fewer. Music with a beat may pass, too. */
const SYLLABLES_A_SECOND = { least: 1.2, most: 12 };
const MIN_SPEECH_SECONDS = 0.5;

type Heard = { startSeconds: number; endSeconds: number; syllables: number };

export function makeSoundMeter(type: RecordingType): SoundMeter {
  if (type !== 'audio/wav') return { feed: () => undefined, spans: () => undefined };
  const ear = makeEar();
  const reader: WavReader = makeWavReader({ framesASecond: FRAMES_A_SECOND, onFrame: ear.hear });
  return {
    feed: reader.feed,
    spans: () => (reader.isReadable() ? ear.spans() : undefined),
  };
}

/** From levels to spans. */
function makeEar() {
  const list = makeSpanList();
  const isNextSyllable = makeSyllables();
  let [frame, noiseDb] = [0, SILENCE_DB];
  let opening: number[] | undefined = [];

  const hearLevel = (db: number) => {
    const isSyllable = isNextSyllable(db);
    if (db > noiseDb + ABOVE_NOISE_DB) list.add(frame / FRAMES_A_SECOND, isSyllable);
    noiseDb = db < noiseDb ? db : noiseDb + NOISE_RISE_DB;
    frame += 1;
  };
  /** How still the room is cannot be known before some of it was heard. */
  const open = () => {
    const levels = opening ?? [];
    opening = undefined;
    if (levels.length > 0) noiseDb = Math.min(...levels);
    for (const db of levels) hearLevel(db);
  };

  return {
    hear(power: number): void {
      const db = Math.max(SILENCE_DB, 10 * Math.log10(power + 1e-12));
      if (opening === undefined) hearLevel(db);
      else if (opening.push(db) === OPENING_FRAMES) open();
    },
    spans() {
      open();
      return list.spans.filter(isLong).map(toSpan);
    },
  };
}

/** Tells at each level whether a syllable begins: a rise by its worth from the last low. */
function makeSyllables(): (db: number) => boolean {
  let [lowDb, highDb, isRising] = [0, 0, false];
  return (db) => {
    if (isRising) {
      highDb = Math.max(highDb, db);
      if (db < highDb - SYLLABLE_DB) [isRising, lowDb] = [false, db];
      return false;
    }
    lowDb = Math.min(lowDb, db);
    if (db <= lowDb + SYLLABLE_DB) return false;
    [isRising, highDb] = [true, db];
    return true;
  };
}

function makeSpanList() {
  const spans: Heard[] = [];
  let gapSeconds = HANGOVER_SECONDS;
  /** Joins what stands close together, until half of the room is free. */
  const thinOut = () => {
    while (spans.length > MAX_SPANS / 2) {
      gapSeconds *= 2;
      spans.splice(0, spans.length, ...joinNear(spans, gapSeconds));
    }
  };
  const current = (startSeconds: number): Heard => {
    const last = spans.at(-1);
    if (last !== undefined && startSeconds - last.endSeconds < gapSeconds) return last;
    if (last !== undefined && !isLong(last)) spans.pop();
    if (spans.length >= MAX_SPANS) thinOut();
    const span = { startSeconds, endSeconds: startSeconds, syllables: 0 };
    spans.push(span);
    return span;
  };
  return {
    spans,
    add(startSeconds: number, isSyllable: boolean): void {
      const span = current(startSeconds);
      span.endSeconds = startSeconds + 1 / FRAMES_A_SECOND;
      if (isSyllable) span.syllables += 1;
    },
  };
}

function isLong({ startSeconds, endSeconds }: Heard): boolean {
  return endSeconds - startSeconds >= MIN_SPAN_SECONDS;
}

function joinNear(spans: readonly Heard[], gapSeconds: number): readonly Heard[] {
  const joined: Heard[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last === undefined || span.startSeconds - last.endSeconds >= gapSeconds) {
      joined.push(span);
      continue;
    }
    last.endSeconds = span.endSeconds;
    last.syllables += span.syllables;
  }
  return joined;
}

function toSpan({ startSeconds, endSeconds, syllables }: Heard): SoundSpan {
  const seconds = endSeconds - startSeconds;
  const rate = syllables / seconds;
  const { least, most } = SYLLABLES_A_SECOND;
  const isLikeSpeech = seconds >= MIN_SPEECH_SECONDS && rate >= least && rate <= most;
  return { startSeconds, endSeconds, ...(isLikeSpeech && { isLikeSpeech }) };
}
