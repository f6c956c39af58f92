// The policy that docs/events.md recommends, on a real broker: no dropped message is lost, and the engine's queues go on as before.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connectRabbit, type RabbitClient } from '../../support/rabbit-client.ts';
import { sharedBroker } from '../../support/rabbitmq.ts';
import { until } from '../../support/until.ts';
import { type DoorBench, freshName, openDoor, siteAtBroker } from './door-bench.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../../docs/events.md'), 'utf8');
const COMMAND = /^rabbitmqctl set_policy --apply-to queues (\S+) '([^']+)' \\\n\s+'(\{[^']+\})'$/m;

let broker: Awaited<ReturnType<typeof sharedBroker>>;
let ehr: RabbitClient;
const opened: DoorBench[] = [];

beforeAll(async () => {
  broker = await sharedBroker();
  ehr = await connectRabbit(broker.url);
});
afterEach(async () => {
  for (const bench of opened.splice(0)) await bench.close();
});
afterAll(() => ehr.close());

const queueOf = (site: string) => `chartwright.${site}.encounters`;
const deadQueueOf = (site: string) => `chartwright.${site}.dead`;

async function openSite(name: string): Promise<DoorBench> {
  const bench = openDoor({ url: broker.url, sites: [siteAtBroker(name)] });
  opened.push(bench);
  await until(async () => (await ehr.look(queueOf(name)))?.consumers === 1);
  return bench;
}

/** The policy of the page for `mercy`, with a delivery limit that this broker may not have by default. */
function setPolicy(site: string, limit: number): void {
  const [, policy = '', pattern = '', definition = ''] = COMMAND.exec(page) ?? [];
  const [name, queues, settings] = [policy, pattern, definition].map((text) => text.replaceAll('mercy', site));
  const limited = { ...JSON.parse(settings ?? ''), 'delivery-limit': limit };
  broker.control('set_policy', '--apply-to', 'queues', name ?? '', queues ?? '', JSON.stringify(limited));
}

/** Consumes the message and disconnects before acknowledging it. */
async function takeAndLeave(queue: string): Promise<boolean> {
  return ehr.work(async (channel) => (await channel.get(queue)) !== false);
}

describe('a message that the broker drops', () => {
  it('is in the dead queue of its site, and the engine accepts the others as before', async () => {
    const [name, other] = [freshName(), freshName()];
    await (await openSite(other)).close();
    await (await openSite(name)).close();
    setPolicy(name, 2);
    await ehr.send(`${name}.events`, 'encounter.finished', 'Encounter/1', { messageId: 'm-1' });
    await until(async () => {
      await takeAndLeave(queueOf(name));
      return (await ehr.look(deadQueueOf(name)))?.messages === 1;
    });
    const dead = await ehr.take(deadQueueOf(name));
    expect([dead.content.toString(), dead.properties.messageId]).toEqual(['Encounter/1', 'm-1']);
    expect(dead.properties.headers).toMatchObject({
      'x-death': [{ reason: 'delivery_limit', queue: queueOf(name), 'routing-keys': ['encounter.finished'] }],
    });
    expect(await ehr.look(deadQueueOf(other))).toMatchObject({ messages: 0 });
    const bench = await openSite(name);
    await ehr.send(`${name}.events`, 'encounter.finished', 'Encounter/2');
    await until(() => bench.accept.stored().includes('Encounter/2'));
    expect(await bench.alarmOf(name)).toBeUndefined();
  });

  it('needs a policy, because an operator policy cannot have dead letters', () => {
    const definition = JSON.stringify({ 'dead-letter-exchange': 'chartwright.dead' });
    const set = () =>
      broker.control('set_operator_policy', '--apply-to', 'queues', freshName(), '^nobody$', definition);
    expect(set).toThrow(/dead-letter-exchange/);
  });
});
