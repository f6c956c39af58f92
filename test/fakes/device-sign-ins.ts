// Sign-ins of the command line, in memory.
import { AppError } from '../../src/domain/errors.ts';
import { present } from '../../src/domain/present.ts';
import type { DeviceSignIns } from '../../src/ports/device-sign-ins.ts';

type Row = {
  readonly userCode: string;
  readonly address: string;
  readonly agent: string | undefined;
  readonly expiresAt: number;
  intervalMs: number;
  polledAt: number | undefined;
  decision: { readonly person: string } | 'denied' | undefined;
};

const SLOWER_MS = 5_000;
const KEPT_MS = 3_600_000;

export function makeFakeDeviceSignIns({ now = () => new Date() }: { readonly now?: () => Date } = {}): DeviceSignIns {
  const rows = new Map<string, Row>();
  const time = () => now().getTime();
  const waiting = (userCodeDigest: Uint8Array) =>
    [...rows.values()].find(
      ({ userCode, decision, expiresAt }) =>
        userCode === textOf(userCodeDigest) && decision === undefined && expiresAt > time(),
    );
  return {
    begin: async ({ deviceDigest, userCodeDigest, address, agent, lifeMs, intervalMs }) => {
      const isTaken = [...rows.values()].some(({ userCode }) => userCode === textOf(userCodeDigest));
      if (isTaken) throw new AppError('conflict', 'Another sign-in has this code: begin again');
      const times = { expiresAt: time() + lifeMs, intervalMs, polledAt: undefined };
      rows.set(textOf(deviceDigest), {
        userCode: textOf(userCodeDigest),
        address,
        agent,
        ...times,
        decision: undefined,
      });
    },
    findByUserCode: async (userCodeDigest) => {
      const row = waiting(userCodeDigest);
      return row && present({ address: row.address, agent: row.agent });
    },
    decide: async (userCodeDigest, decision) => {
      const row = waiting(userCodeDigest);
      if (row !== undefined) row.decision = decision;
      return row !== undefined;
    },
    poll: async (deviceDigest) => {
      const row = rows.get(textOf(deviceDigest));
      if (row === undefined) return { state: 'unknown' };
      if (row.expiresAt <= time()) return { state: 'expired' };
      const isTooSoon = row.polledAt !== undefined && time() - row.polledAt < row.intervalMs;
      row.polledAt = time();
      if (isTooSoon) {
        row.intervalMs += SLOWER_MS;
        return { state: 'too-soon' };
      }
      if (row.decision === undefined) return { state: 'pending' };
      if (row.decision === 'denied') return { state: 'denied' };
      rows.delete(textOf(deviceDigest));
      return { state: 'approved', person: row.decision.person };
    },
    sweep: async () => {
      for (const [key, { expiresAt }] of rows) if (expiresAt < time() - KEPT_MS) rows.delete(key);
    },
  };
}

function textOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}
