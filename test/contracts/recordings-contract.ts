// What every store of handed-over recordings promises.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import type { Recordings, StoredRecording } from '../../src/ports/recordings.ts';
import { someBytes } from './prepared-streams-contract.ts';

let recordingCount = 0;
export function aRecording(parts: Partial<StoredRecording> = {}): StoredRecording {
  recordingCount += 1;
  return { id: `recording-${recordingCount}`, site: 'mercy', encounter: 'Encounter/1', type: 'audio/wav', ...parts };
}

/** In odd pieces, so that they never end where a chunk ends. */
export async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 99_991) yield bytes.subarray(at, at + 99_991);
}

export async function readRecording(recordings: Recordings, id: string): Promise<Buffer> {
  return buffer((await recordings.open(id)).open());
}

export function recordingsContract(name: string, makeRecordings: () => Promise<Recordings>): void {
  describe(`the recordings of ${name}`, () => {
    it.each([0, 1, 524_287, 524_288, 524_289, 1_048_576, 2_000_003])(
      'give back %i bytes as they were, as often as they are asked',
      async (sizeBytes) => {
        const recordings = await makeRecordings();
        const bytes = someBytes(sizeBytes);
        const recording = aRecording({ type: 'audio/webm' });
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        expect(await recordings.store(recording, inPieces(bytes))).toEqual({ sha256, sizeBytes });
        const { open, ...opened } = await recordings.open(recording.id);
        expect(opened).toEqual({ type: 'audio/webm', sizeBytes, isReopenable: true });
        for (const _ of [1, 2]) expect((await buffer(open())).equals(bytes)).toBe(true);
      },
    );

    it('give back what was said of a recording', async () => {
      const recordings = await makeRecordings();
      const plain = aRecording();
      const full = aRecording({
        patient: 'urn:oid:1.2.3|4711',
        recordedAt: '2026-03-02T10:00:00+01:00',
        language: 'es',
        noteType: 'SOAP',
        template: 'cardiology',
        practitioner: 'Practitioner/7',
      });
      for (const recording of [plain, full]) {
        await recordings.store(recording, inPieces(someBytes(10)));
        expect(await recordings.find(recording.id)).toEqual(recording);
      }
    });

    it('keep nothing of an upload that broke off, and say what broke it', async () => {
      const recordings = await makeRecordings();
      const recording = aRecording();
      async function* broken() {
        yield someBytes(700_000);
        throw new Error('the sender went away');
      }
      await expect(recordings.store(recording, broken())).rejects.toThrow('the sender went away');
      expect(await recordings.find(recording.id)).toBeUndefined();
      await recordings.store(recording, inPieces(someBytes(3)));
      expect(await readRecording(recordings, recording.id)).toHaveLength(3);
    });

    it('are not found before all of them is there, after they were deleted, or where there never were any', async () => {
      const recordings = await makeRecordings();
      const recording = aRecording();
      const seen: unknown[] = [];
      async function* looking() {
        yield someBytes(600_000);
        seen.push(await recordings.find(recording.id));
      }
      await recordings.store(recording, looking());
      expect(seen).toEqual([undefined]);
      for (const _ of [1, 2]) await recordings.remove(recording.id);
      for (const id of [recording.id, 'nothing']) {
        expect(await recordings.find(id)).toBeUndefined();
        await expect(recordings.open(id)).rejects.toMatchObject({ code: 'notFound' });
      }
    });

    it('are not swept once they are whole', async () => {
      const recordings = await makeRecordings();
      const recording = aRecording();
      await recordings.store(recording, inPieces(someBytes(3)));
      expect(await recordings.sweep()).toBe(0);
      expect(await recordings.find(recording.id)).toBeDefined();
    });
  });
}
