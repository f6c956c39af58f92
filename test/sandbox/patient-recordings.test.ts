// The recordings match the conversations of their encounters. Nothing is synthesised here.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isOggAudio } from '../../src/platform/file-check/ogg-head.ts';
import { joinTurns } from '../../src/sandbox/patients/join-turns.ts';
import { readPatients } from '../../src/sandbox/patients/read-patients.ts';
import {
  AUDIO_FOLDER,
  readRecordingFacts,
  recordingFile,
  trueTranscript,
} from '../../src/sandbox/patients/recording-facts.ts';
import { recordingsOf } from '../../src/sandbox/patients/spoken-recordings.ts';

const MOST_BYTES = 8_000_000;
const patients = readPatients();
const spoken = patients.flatMap(recordingsOf);

describe('the recordings', () => {
  it('are one for each patient, a late one for some, and small in total', () => {
    const files = readdirSync(AUDIO_FOLDER);
    expect(new Set(files)).toEqual(new Set(spoken.flatMap(({ id }) => [`${id}.ogg`, `${id}.json`])));
    const bytes = files.reduce((sum, file) => sum + statSync(path.join(AUDIO_FOLDER, file)).size, 0);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });

  it.each(spoken.map((recording) => [recording.id, recording] as const))(
    'of %s fits what is said in it',
    (id, { talk }) => {
      const sound = readFileSync(recordingFile(id));
      const { sha256, durationSeconds, turns } = readRecordingFacts(id);
      expect(createHash('sha256').update(sound).digest('hex')).toBe(sha256);
      expect(isOggAudio(sound)).toBe(true);
      expect(Math.abs(secondsOf(sound) - durationSeconds)).toBeLessThan(0.2);
      expect(turns).toHaveLength(talk.length);
      const moments = [0, ...turns.flatMap(({ start, end }) => [start, end]), durationSeconds];
      expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    },
  );

  it.each(patients.filter(({ talk }) => talk.length > 0).map((patient) => [patient.id, patient] as const))(
    'of %s is as long as such a talk is',
    (id) => {
      const { durationSeconds } = readRecordingFacts(id);
      expect(durationSeconds).toBeGreaterThan(90);
      expect(durationSeconds).toBeLessThan(180);
    },
  );

  it('have a transcript with the speakers numbered in the order of their first turns', () => {
    const child = patients.find(({ trap }) => trap === 'child');
    if (child === undefined) throw new Error('there is no child');
    const facts = readRecordingFacts(child.id);
    const { utterances, durationSeconds, language } = trueTranscript(child, facts);
    expect({ durationSeconds, language }).toEqual({ durationSeconds: facts.durationSeconds, language: 'es' });
    expect(utterances.map(({ text }) => text)).toEqual(child.talk.map(([, text]) => text));
    expect(utterances.slice(0, 4).map(({ speaker }) => speaker)).toEqual([0, 1, 0, 2]);
    expect(utterances[3]).toMatchObject({ startSeconds: facts.turns[3]?.start, endSeconds: facts.turns[3]?.end });
  });
});

describe('joined turns', () => {
  const HERTZ = 1000;
  const said = (length: number, before = 0, after = 0) =>
    Int16Array.from([...Array(before).fill(0), ...Array(length).fill(5000), ...Array(after).fill(0)]);

  it('have their times without the silence around them', () => {
    const { samples, turns } = joinTurns([said(300, 50, 200), said(400, 10, 10)], HERTZ);
    expect(turns).toEqual([
      { start: 0.5, end: 0.8 },
      { start: 1.35, end: 1.75 },
    ]);
    expect(samples).toHaveLength(2250);
    for (const { start, end } of turns) {
      expect(samples.subarray(start * HERTZ, end * HERTZ).every((sample) => sample === 5000)).toBe(true);
    }
    expect(samples.filter((sample) => sample !== 0)).toHaveLength(700);
  });

  it('keep a silent turn in its place', () => {
    expect(joinTurns([said(0, 100), said(300)], HERTZ).turns[0]).toEqual({ start: 0.5, end: 0.5 });
  });
});

describe('making the recordings', () => {
  const make = (id: string) =>
    spawnSync(process.execPath, ['src/sandbox/patients/make-audio.ts', id], { encoding: 'utf8', env: { PATH: '' } });

  it('names a missing tool and how to install it', () => {
    const { status, stderr } = make('pt-silence');
    expect(stderr).toBe('opusenc is not installed. Debian and Ubuntu: apt-get install espeak-ng opus-tools\n');
    expect(status).toBe(1);
  });

  it('refuses unknown patients', () => {
    expect(make('en-nobody')).toMatchObject({ status: 1, stderr: 'There is no en-nobody\n' });
  });
});

const HEAD_BYTES = 27;
const OPUS_HERTZ = 48_000;

/** Reads the duration from the last page's position, without the samples that a player skips at the start. */
function secondsOf(ogg: Buffer): number {
  let last = 0n;
  for (let at = 0; at < ogg.length; ) {
    const sizes = ogg.subarray(at + HEAD_BYTES, at + HEAD_BYTES + (ogg[at + 26] ?? 0));
    last = ogg.readBigInt64LE(at + 6);
    at += sizes.reduce((sum, size) => sum + size, HEAD_BYTES + sizes.length);
  }
  const skipped = ogg.readUInt16LE(ogg.indexOf('OpusHead') + 10);
  return (Number(last) - skipped) / OPUS_HERTZ;
}
