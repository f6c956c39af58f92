// What every store of usage promises.
import { describe, expect, it } from '@jest/globals';
import type { UsageRecord } from '../../src/domain/access/usage.ts';
import type { Usage } from '../../src/ports/usage.ts';

export function aUsageRecord(parts: Partial<UsageRecord> = {}): UsageRecord {
  return {
    requestId: 'request-1',
    keyId: 'key-1',
    organization: 'mercy',
    operation: 'transcribe',
    startedAt: new Date('2026-03-02T10:00:00Z'),
    durationMs: 1200.5,
    aiMs: 800.25,
    audioSeconds: 30.5,
    outcome: 'success',
    status: 200,
    ...parts,
  };
}

export function usageContract(name: string, makeSubject: () => Promise<Usage>): void {
  describe(`the usage of ${name}`, () => {
    it('is nothing before anything was used', async () => {
      expect(await (await makeSubject()).summarize({})).toEqual([]);
    });

    it('is summed up by organization, key and operation, with failures and cancelled requests counted apart', async () => {
      const usage = await makeSubject();
      await usage.record(aUsageRecord({ language: 'en', template: 'SOAP' }));
      await usage.record(aUsageRecord({ outcome: 'failure', status: 500, audioSeconds: 0 }));
      await usage.record(aUsageRecord({ outcome: 'cancelled', status: 499, audioSeconds: 1 }));
      await usage.record(aUsageRecord({ operation: 'diagnose', audioSeconds: 0 }));
      await usage.record(aUsageRecord({ keyId: 'key-2' }));
      await usage.record(aUsageRecord({ organization: 'a-clinic', keyId: 'key-3' }));
      const one = { requests: 1, failures: 0, cancelled: 0, audioSeconds: 30.5, aiMs: 800.25, durationMs: 1200.5 };
      expect(await usage.summarize({})).toEqual([
        { organization: 'a-clinic', keyId: 'key-3', operation: 'transcribe', ...one },
        { organization: 'mercy', keyId: 'key-1', operation: 'diagnose', ...one, audioSeconds: 0 },
        {
          organization: 'mercy',
          keyId: 'key-1',
          operation: 'transcribe',
          requests: 3,
          failures: 1,
          cancelled: 1,
          audioSeconds: 31.5,
          aiMs: 2400.75,
          durationMs: 3601.5,
        },
        { organization: 'mercy', keyId: 'key-2', operation: 'transcribe', ...one },
      ]);
    });

    it('can be asked for one organization, one key and a span of time whose end does not belong to it', async () => {
      const usage = await makeSubject();
      const at = (day: string) => new Date(`2026-03-${day}T00:00:00Z`);
      await usage.record(aUsageRecord({ startedAt: at('01') }));
      await usage.record(aUsageRecord({ startedAt: at('02'), keyId: 'key-2' }));
      await usage.record(aUsageRecord({ startedAt: at('03'), organization: 'a-clinic', keyId: 'key-3' }));
      const keysOf = async (query: Parameters<Usage['summarize']>[0]) =>
        (await usage.summarize(query)).map((row) => row.keyId);
      expect(await keysOf({ organization: 'mercy' })).toEqual(['key-1', 'key-2']);
      expect(await keysOf({ keyId: 'key-3' })).toEqual(['key-3']);
      expect(await keysOf({ from: at('02') })).toEqual(['key-3', 'key-2']);
      expect(await keysOf({ from: at('01'), to: at('03') })).toEqual(['key-1', 'key-2']);
      expect(await keysOf({ organization: 'mercy', keyId: 'key-3' })).toEqual([]);
    });
  });
}
