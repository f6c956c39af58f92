import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { aResult, ENCOUNTER, openRealHouse, type RealHouse } from '../support/real-charts.ts';
let house: RealHouse;
beforeAll(async () => { house = await openRealHouse(); }, 60_000);
afterAll(() => house.close());
const show = (h: any) => h.store.writes().map((w: any) => {
  const r: any = h.store.get(`${w.type}/${w.id}`);
  return `${w.method} ${w.type}/${w.id.slice(0,6)} now ${r?.status ?? ''}/${r?.docStatus ?? ''} ${r?.verificationStatus?.coding?.[0]?.code ?? ''} ${JSON.stringify(r?.relatesTo ?? '')}`;
}).filter((l: string) => !/canary/.test(l)).join('\n');
const edited = (f: any) => ({ ...f, run: { ...f.run, status: 'amended' }, review: { ...f.review, decision: 'edit' } });
test.each([['profiles/epic-like', 'epic-like', ENCOUNTER], ['profiles/oracle-like', 'oracle-like', ENCOUNTER], ['base', undefined, ENCOUNTER], ['profiles/us-core', undefined, ENCOUNTER]] as any)('%s', async (folder: any, mode: any) => {
  const h = await house.openHospital({ folder, ...(mode && { faults: [{ mode }] as any }) });
  const out: string[] = [];
  const step = async (name: string, work: () => Promise<any>) => {
    const o = await work().catch((e: any) => e);
    out.push(`${name}: ${o.status ?? o.code ?? o} ${o.reason ?? ''} ${o.message ?? ''} ${JSON.stringify(o.resources ?? o.references ?? '')} left ${JSON.stringify(o.left ?? '')}`);
    await h.clock.pass(200_000);
  };
  const e = () => h.startEngine();
  await step('draft', () => e().write(aResult()));
  await step('same', () => e().write(aResult({ run: 'run-1b', time: '2026-03-02T09:31:00Z' })));
  await step('other', () => e().write(aResult({ run: 'run-2', time: '2026-03-02T09:40:00Z', plan: 'Canary two.', diseases: ['J18.9', 'I21.9'] })));
  await step('approve', () => e().write(aResult({ run: 'run-3', time: '2026-03-02T09:40:00Z', plan: 'Canary two.', diseases: ['J18.9', 'I21.9'], isApproved: true })));
  await step('approve again', () => e().write(aResult({ run: 'run-3b', time: '2026-03-02T09:40:00Z', plan: 'Canary two.', diseases: ['J18.9', 'I21.9'], isApproved: true })));
  await step('edit', () => e().write(edited(aResult({ run: 'run-4', time: '2026-03-02T11:40:00Z', plan: 'Canary three.', diseases: ['J18.9'], isApproved: true }))));
  await step('retract', () => e().retract('ret-1'));
  await step('retract again', () => e().retract('ret-2'));
  console.log(folder + '\n' + out.join('\n') + '\n' + show(h));
  await h.close();
}, 120_000);
