// `%transcript`: what was said, as text, by utterance and as cues of WebVTT.
import { cleanText } from '../clean-text.ts';
import { speakerLabel, speakerLabelledText, type Transcript, type Utterance } from '../recording/transcript.ts';

/** The index of the utterance, as reports have it: `u-12`. */
export function utteranceId(index: number): string {
  return `u-${index}`;
}

export function transcriptVariable(transcript: Transcript): unknown {
  const utterances = transcript.utterances.map((utterance, index) => ({
    id: utteranceId(index),
    ...utterance,
    speaker: speakerLabel(utterance.speaker),
    text: cleanText(utterance.text),
  }));
  return {
    language: transcript.language,
    durationSeconds: transcript.durationSeconds,
    text: cleanText(speakerLabelledText(transcript)),
    utterances,
    vtt: transcript.utterances.map(cueOf).join('\n\n'),
  };
}

/** A cue of WebVTT: its id, its times and its words with their speaker. */
function cueOf({ speaker, text, startSeconds, endSeconds }: Utterance, index: number): string {
  const start = milliseconds(startSeconds);
  // A cue has to end after it begins.
  const end = Math.max(milliseconds(endSeconds), start + 1);
  const words = escapeCue(cleanText(text).replace(/\s+/g, ' ').trim());
  return `${utteranceId(index)}\n${cueTime(start)} --> ${cueTime(end)}\n<v ${speakerLabel(speaker)}>${words}`;
}

function escapeCue(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function milliseconds(seconds: number): number {
  return Number.isFinite(seconds) ? Math.max(0, Math.round(seconds * 1000)) : 0;
}

/** `00:00:45.200` */
function cueTime(ms: number): string {
  const [hours, minutes, seconds] = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    Math.floor(ms / 1000) % 60,
  ];
  return `${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(seconds)}.${String(ms % 1000).padStart(3, '0')}`;
}

/** As a player shows it: `0:45`, `1:02:03`. */
export function clockTime(startSeconds: number): string {
  const all = Math.floor(milliseconds(startSeconds) / 1000);
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, twoDigits(all % 60)];
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${seconds}` : `${minutes}:${seconds}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
