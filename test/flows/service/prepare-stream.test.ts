import { describe, expect, it } from '@jest/globals';
import { makePrepareStream } from '../../../src/flows/service/prepare-stream.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import { makeFakePreparedStreams } from '../../fakes/prepared-streams.ts';

const caller = { keyId: 'a'.repeat(16), organization: 'mercy', plan: 'standard' };
const request = { clinicalHistory: 'made up', language: 'pt', attachments: [] } as const;

function aDesk() {
  let time = new Date('2026-11-21T08:00:00Z');
  const preparedStreams = makeFakePreparedStreams({ now: () => time });
  return {
    ...makePrepareStream({ preparedStreams, runtime: systemRuntime }),
    wait: (ms: number) => {
      time = new Date(time.getTime() + ms);
    },
  };
}

describe('a prepared stream', () => {
  it('it returns the prepared upload at the announced address', async () => {
    const { prepare, claim } = aDesk();
    const session = await prepare({ caller, request });
    expect(session.streamUrl).toBe(`/diagnose/stream/${session.sessionId}`);
    expect(await claim({ caller, sessionId: session.sessionId })).toMatchObject({
      clinicalHistory: 'made up',
      language: 'pt',
    });
  });

  it('another key is refused, and the session stays valid', async () => {
    const { prepare, claim } = aDesk();
    const { sessionId } = await prepare({ caller, request });
    const other = { ...caller, keyId: 'b'.repeat(16) };
    await expect(claim({ caller: other, sessionId })).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(claim({ caller, sessionId })).resolves.toBeDefined();
  });

  it('it can be used once, from the moment when it is marked', async () => {
    const { prepare, claim } = aDesk();
    const { sessionId } = await prepare({ caller, request });
    const unused = await claim({ caller, sessionId });
    await unused.release();
    const used = await claim({ caller, sessionId });
    await used.markUsed();
    await used.release();
    await expect(claim({ caller, sessionId })).rejects.toMatchObject({ code: 'notFound' });
  });

  it('it expires after ten minutes', async () => {
    const { prepare, claim, wait } = aDesk();
    const { sessionId } = await prepare({ caller, request });
    wait(10 * 60_000 + 1);
    await expect(claim({ caller, sessionId })).rejects.toMatchObject({ code: 'notFound' });
  });
});
