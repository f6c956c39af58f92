// What every store of sign-ins of the command line promises.
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DeviceSignIns } from '../../src/ports/device-sign-ins.ts';
import type { People } from '../../src/ports/people.ts';
import { aPerson } from './people-contract.ts';

export type DevicesSubject = {
  readonly people: People;
  readonly devices: DeviceSignIns;
  readonly other: DeviceSignIns;
  readonly pass: (ms: number) => Promise<void>;
};

const INTERVAL_MS = 5_000;
const LIFE_MS = 600_000;

let count = 0;
function codes() {
  count += 1;
  return { deviceDigest: new Uint8Array(32).fill(count), userCodeDigest: new Uint8Array(32).fill(255 - count) };
}

export function deviceSignInsContract(name: string, makeSubject: () => Promise<DevicesSubject>): void {
  describe(`the sign-ins of the command line of ${name}`, () => {
    let subject: DevicesSubject;
    let person: string;
    const begun = async (agent?: string) => {
      const made = codes();
      const times = { lifeMs: LIFE_MS, intervalMs: INTERVAL_MS };
      await subject.devices.begin({ ...made, address: '192.0.2.7', ...times, ...(agent !== undefined && { agent }) });
      return made;
    };
    beforeEach(async () => {
      subject = await makeSubject();
      person = (await subject.people.create(aPerson())).id;
    });

    it('show the person from where they were begun, wait, and are taken once when they are confirmed', async () => {
      const { devices, pass } = subject;
      const { deviceDigest, userCodeDigest } = await begun('chartwright');
      const { userCodeDigest: plain } = await begun();
      expect(await devices.findByUserCode(userCodeDigest)).toEqual({ address: '192.0.2.7', agent: 'chartwright' });
      expect(await devices.findByUserCode(plain)).toEqual({ address: '192.0.2.7' });
      expect(await devices.poll(deviceDigest)).toEqual({ state: 'pending' });
      expect(await devices.decide(userCodeDigest, { person })).toBe(true);
      await pass(INTERVAL_MS);
      expect(await devices.poll(deviceDigest)).toEqual({ state: 'approved', person });
      await pass(INTERVAL_MS);
      expect(await devices.poll(deviceDigest)).toEqual({ state: 'unknown' });
    });

    it('are taken by one of two that ask at the same moment', async () => {
      const { devices, other } = subject;
      const { deviceDigest, userCodeDigest } = await begun();
      await devices.decide(userCodeDigest, { person });
      const polled = await Promise.all([devices, other, devices, other].map((store) => store.poll(deviceDigest)));
      expect(polled.filter(({ state }) => state === 'approved')).toHaveLength(1);
    });

    it('make a program that asks too soon wait 5 seconds longer each time, also when it was confirmed meanwhile', async () => {
      const { devices, pass } = subject;
      const { deviceDigest, userCodeDigest } = await begun();
      expect(await devices.poll(deviceDigest)).toEqual({ state: 'pending' });
      await pass(1_000);
      expect(await devices.poll(deviceDigest)).toEqual({ state: 'too-soon' });
      await pass(6_000);
      expect(await devices.poll(deviceDigest)).toEqual({ state: 'too-soon' });
      await devices.decide(userCodeDigest, { person });
      await pass(11_000);
      expect(await devices.poll(deviceDigest)).toEqual({ state: 'too-soon' });
      await pass(20_000);
      expect(await devices.poll(deviceDigest)).toEqual({ state: 'approved', person });
    });

    it('stay denied, and are decided once', async () => {
      const { devices, pass } = subject;
      const { deviceDigest, userCodeDigest } = await begun();
      expect(await devices.decide(userCodeDigest, 'denied')).toBe(true);
      expect(await devices.decide(userCodeDigest, { person })).toBe(false);
      expect(await devices.findByUserCode(userCodeDigest)).toBeUndefined();
      expect(await devices.poll(deviceDigest)).toEqual({ state: 'denied' });
      await pass(INTERVAL_MS);
      expect(await devices.poll(deviceDigest)).toEqual({ state: 'denied' });
    });

    it('end with their time, confirmed or not, and are forgotten an hour later', async () => {
      const { devices, pass } = subject;
      const [late, confirmed] = [await begun(), await begun()];
      await devices.decide(confirmed.userCodeDigest, { person });
      await pass(LIFE_MS);
      expect(await devices.findByUserCode(late.userCodeDigest)).toBeUndefined();
      expect(await devices.decide(late.userCodeDigest, { person })).toBe(false);
      await devices.sweep();
      for (const { deviceDigest } of [late, confirmed]) {
        expect(await devices.poll(deviceDigest)).toEqual({ state: 'expired' });
      }
      await pass(3_660_000);
      await devices.sweep();
      expect(await devices.poll(late.deviceDigest)).toEqual({ state: 'unknown' });
    });

    it('never share the code that a person types', async () => {
      const { devices } = subject;
      const { deviceDigest, userCodeDigest } = await begun('the first');
      const second = { deviceDigest: codes().deviceDigest, userCodeDigest, address: '192.0.2.8' };
      const refused = devices.begin({ ...second, lifeMs: LIFE_MS, intervalMs: INTERVAL_MS });
      await expect(refused).rejects.toMatchObject({ code: 'conflict' });
      expect(await devices.findByUserCode(userCodeDigest)).toMatchObject({ agent: 'the first' });
      expect(await devices.poll(second.deviceDigest)).toEqual({ state: 'unknown' });
      expect(await devices.poll(deviceDigest)).toEqual({ state: 'pending' });
    });

    it('are unknown by any other code', async () => {
      const { devices } = subject;
      await begun();
      const other = codes();
      expect(await devices.poll(other.deviceDigest)).toEqual({ state: 'unknown' });
      expect(await devices.findByUserCode(other.userCodeDigest)).toBeUndefined();
      expect(await devices.decide(other.userCodeDigest, 'denied')).toBe(false);
    });
  });
}
