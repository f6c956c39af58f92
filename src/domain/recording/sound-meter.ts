// Measures the spans of a recording with sound while its bytes are streamed. Only for WAV with uncompressed samples: other formats would have
// to be decoded. Memory is bounded: one frame and a limited list of spans.

import type { SoundSpan } from '../run/step-results.ts';
import type { RecordingType } from './recording.ts';
import { makeWavReader, type WavReader } from './wav-reader.ts';

export type SoundMeter = {
  readonly feed: (bytes: Uint8Array) => void;
  /** In order, without overlaps. Undefined if the format cannot be measured. */
  readonly spans: () => readonly SoundSpan[] | undefined;
};

const FRAMES_A_SECOND = 50;
/** Relative to full scale. Levels below this count as silence. */
const SILENCE_DB = -75;
/** A level this far above the background noise counts as sound. */
const ABOVE_NOISE_DB = 9;
/** The background noise is the lowest recent level; the estimate rises by this much per frame. */
const NOISE_RISE_DB = 1 / FRAMES_A_SECOND;
/** The first second gives the first estimate of the background noise. */
const OPENING_FRAMES = FRAMES_A_SECOND;
/** A shorter pause does not end a span. */
const HANGOVER_SECONDS = 0.3;
/** Shorter spans are clicks. */
const MIN_SPAN_SECONDS = 0.06;
const MAX_SPANS = 20_000;
/** A syllable is a rise of the level by this much from its last minimum, and a fall by as much. */
const SYLLABLE_DB = 6;
/** Speech has this many syllables per second; a fan has none, an alarm more or fewer. Music with a beat may pass as speech. */
const SYLLABLES_A_SECOND = { least: 1.2, most: 12 };
const MIN_SPEECH_SECONDS = 0.5;

type MeasuredSpan = { startSeconds: number; endSeconds: number; syllables: number };

export function makeSoundMeter(type: RecordingType): SoundMeter {
  if (type !== 'audio/wav') return { feed: () => undefined, spans: () => undefined };
  const levels = makeLevelMeter();
  const reader: WavReader = makeWavReader({ framesASecond: FRAMES_A_SECOND, onFrame: levels.measure });
  return {
    feed: reader.feed,
    spans: () => (reader.isReadable() ? levels.spans() : undefined),
  };
}

/** Turns levels into spans. */
function makeLevelMeter() {
  const list = makeSpanList();
  const isNextSyllable = makeSyllables();
  let [frame, noiseDb] = [0, SILENCE_DB];
  let opening: number[] | undefined = [];

  const addLevel = (db: number) => {
    const isSyllable = isNextSyllable(db);
    if (db > noiseDb + ABOVE_NOISE_DB) list.add(frame / FRAMES_A_SECOND, isSyllable);
    noiseDb = db < noiseDb ? db : noiseDb + NOISE_RISE_DB;
    frame += 1;
  };
  /** Processes the first second, once it has given the background noise. */
  const open = () => {
    const levels = opening ?? [];
    opening = undefined;
    if (levels.length > 0) noiseDb = Math.min(...levels);
    for (const db of levels) addLevel(db);
  };

  return {
    measure(power: number): void {
      const db = Math.max(SILENCE_DB, 10 * Math.log10(power + 1e-12));
      if (opening === undefined) addLevel(db);
      else if (opening.push(db) === OPENING_FRAMES) open();
    },
    spans() {
      open();
      return list.spans.filter(isLong).map(toSpan);
    },
  };
}

/** Returns for each level whether a syllable begins there. */
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
  const spans: MeasuredSpan[] = [];
  let gapSeconds = HANGOVER_SECONDS;
  /** Joins neighbouring spans until half of the list is free. */
  const thinOut = () => {
    while (spans.length > MAX_SPANS / 2) {
      gapSeconds *= 2;
      spans.splice(0, spans.length, ...joinNear(spans, gapSeconds));
    }
  };
  const current = (startSeconds: number): MeasuredSpan => {
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

function isLong({ startSeconds, endSeconds }: MeasuredSpan): boolean {
  return endSeconds - startSeconds >= MIN_SPAN_SECONDS;
}

function joinNear(spans: readonly MeasuredSpan[], gapSeconds: number): readonly MeasuredSpan[] {
  const joined: MeasuredSpan[] = [];
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

function toSpan({ startSeconds, endSeconds, syllables }: MeasuredSpan): SoundSpan {
  const seconds = endSeconds - startSeconds;
  const rate = syllables / seconds;
  const { least, most } = SYLLABLES_A_SECOND;
  const isLikeSpeech = seconds >= MIN_SPEECH_SECONDS && rate >= least && rate <= most;
  return { startSeconds, endSeconds, ...(isLikeSpeech && { isLikeSpeech }) };
}
