// Uploads to a whole engine whose disk has always less free space than its setting requires.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { file, formBytes } from '../inbound/http/body/form-bytes.ts';
import { makeAudio } from '../support/audio-samples.ts';
import { AUDIO_PATHS, FILES_PATHS, formPieces, goodParts, openTarget } from '../support/journey-hostile.ts';
import { openedForFile } from '../support/opened-for-file.ts';

const MORE_MIB_THAN_ANY_DISK_HAS = String(2 ** 40);

const target = openedForFile(() => openTarget({ MIN_FREE_DISK_MIB: MORE_MIB_THAN_ANY_DISK_HAS }));

describe('an engine with less free disk than MIN_FREE_DISK_MIB', () => {
  it.each(FILES_PATHS)('on a full disk, %s with a file is 429 with Retry-After before its body is read', async (to) => {
    const [head] = formPieces({ path: to, key: target.key }, formBytes(goodParts(to)));
    const { headers, messages } = await target.expectRefusal(429, head);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(messages).toContain('no room for uploads');
  });

  it.each(AUDIO_PATHS)('on a full disk, %s with the file first is 503 with Retry-After', async (to) => {
    const form = formBytes([file('file', 'visit.wav', makeAudio('wav', 300_000))]);
    const { headers } = await target.expectRefusal(503, ...formPieces({ path: to, key: target.key }, form));
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it.each(AUDIO_PATHS)('on a full disk, %s with the language first is 200, because it needs no disk', async (to) => {
    const answer = await target.send(...formPieces({ path: to, key: target.key }, formBytes(goodParts(to))));
    expect(answer.status).toBe(200);
  });

  it('on a full disk, /readyz is degraded and names the disk', async () => {
    const ready = await fetch(`${target.engine.url}/readyz`);
    const { status, components } = (await ready.json()) as { status: string; components: readonly { name: string }[] };
    expect([ready.status, status]).toEqual([200, 'degraded']);
    expect(components).toContainEqual({
      name: 'disk',
      status: 'degraded',
      detail: expect.stringContaining(`${target.engine.dataDir} (DATA_DIR) is full`),
    });
  });

  it('on a full disk, no file was written, and requests that need no disk continue to work', async () => {
    expect(await readdir(path.join(target.engine.dataDir, 'spool'))).toEqual([]);
    await target.expectUnharmed();
  });
});
