// Synthesises the recordings of the encounters: `node src/sandbox/patients/make-audio.ts [id …]`. Run it by hand after a conversation was
// changed. The same tools make the same bytes. It needs espeak-ng and opusenc (Debian: apt-get install espeak-ng opus-tools).
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { joinTurns } from './join-turns.ts';
import { readPatients } from './read-patients.ts';
import { AUDIO_FOLDER, factsFile, type RecordingFacts, recordingFile } from './recording-facts.ts';
import type { SandboxPatient, Turn } from './sandbox-patient.ts';
import { recordingsOf, type SpokenRecording } from './spoken-recordings.ts';
import { espeakOptions } from './voices.ts';

/** The sample rate of espeak-ng. */
const HERTZ = 22_050;
const WAV_HEAD_BYTES = 44;
const MAX_BYTES = 100_000_000;
const KILOBITS = 14;

try {
  makeAll(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n`);
  process.exitCode = 1;
}

function makeAll(ids: readonly string[]): void {
  const patients = readPatients();
  const unknown = ids.filter((id) => !patients.some((one) => one.id === id));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}`);
  mkdirSync(AUDIO_FOLDER, { recursive: true });
  for (const patient of patients) {
    if (ids.length > 0 && !ids.includes(patient.id)) continue;
    for (const recording of recordingsOf(patient)) {
      const { sound, facts } = record(patient, recording);
      writeFileSync(recordingFile(recording.id), sound);
      writeFileSync(factsFile(recording.id), factsText(facts));
      process.stdout.write(`${recording.id}: ${facts.durationSeconds} s, ${Math.ceil(sound.length / 1000)} kB\n`);
    }
  }
}

type Recorded = { readonly sound: Buffer; readonly facts: RecordingFacts };

function record(patient: SandboxPatient, { id, talk, silentSeconds }: SpokenRecording): Recorded {
  const { samples, turns } =
    silentSeconds === undefined
      ? joinTurns(
          talk.map((turn) => speak(patient, turn)),
          HERTZ,
        )
      : { samples: new Int16Array(silentSeconds * HERTZ), turns: [] };
  const sound = encode(samples, id);
  const sha256 = createHash('sha256').update(sound).digest('hex');
  return { sound, facts: { sha256, durationSeconds: Math.round((samples.length / HERTZ) * 1000) / 1000, turns } };
}

function speak({ id, speakers, language }: SandboxPatient, [speaker, text]: Turn): Int16Array {
  const voice = speakers[speaker];
  if (voice === undefined) throw new Error(`${id}: ${speaker} has no voice`);
  const wav = run('espeak-ng', [...espeakOptions(voice, language), '--stdout', '--stdin'], Buffer.from(text));
  if (wav.readUInt32LE(24) !== HERTZ) throw new Error(`espeak-ng speaks with ${wav.readUInt32LE(24)} Hz, not ${HERTZ}`);
  const count = Math.floor((wav.length - WAV_HEAD_BYTES) / 2);
  return Int16Array.from({ length: count }, (_, index) => wav.readInt16LE(WAV_HEAD_BYTES + 2 * index));
}

/** Without this option, opusenc chooses a random serial number for the stream. */
function encode(samples: Int16Array, id: string): Buffer {
  const serial = createHash('sha256').update(id).digest().readUInt32LE() & 0x7fff_ffff;
  const raw = Buffer.alloc(samples.length * 2);
  for (const [index, sample] of samples.entries()) raw.writeInt16LE(sample, index * 2);
  const form = ['--raw', '--raw-bits', '16', '--raw-rate', String(HERTZ), '--raw-chan', '1'];
  const wanted = ['--speech', '--bitrate', String(KILOBITS), '--padding', '0', '--serial', String(serial)];
  return run('opusenc', ['--quiet', ...form, ...wanted, '-', '-'], raw);
}

function run(tool: 'espeak-ng' | 'opusenc', options: readonly string[], input: Buffer): Buffer {
  const { error, status, stdout, stderr } = spawnSync(tool, options, { input, maxBuffer: MAX_BYTES });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') {
    throw new Error(`${tool} is not installed. Debian and Ubuntu: apt-get install espeak-ng opus-tools`);
  }
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${tool} failed: ${stderr.toString().trim()}`);
  return stdout;
}

/** Writes one line for each turn, as the formatter does. */
function factsText({ sha256, durationSeconds, turns }: RecordingFacts): string {
  const lines = turns.map(({ start, end }) => `    { "start": ${start}, "end": ${end} }`);
  const list = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n  ]`;
  return `{\n  "sha256": "${sha256}",\n  "durationSeconds": ${durationSeconds},\n  "turns": ${list}\n}\n`;
}
