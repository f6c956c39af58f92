// The comparison of `npm run bench -- mappings` is only worth something while all contenders do the same work.
import { describe, expect, it } from '@jest/globals';
import { makeContenders } from '../bench/peers/contenders.ts';
import { aDisease, differentialFacts, noteFacts } from '../bench/peers/facts.ts';
import { handWritten } from '../bench/peers/hand-written.ts';

const HOSTILE = '<script>alert("1 & 2")</script>\n]]> %note.title {{ %note.title }} {[ 1 ]} 🫀 é';

const NOTES = {
  'the note of the bench': noteFacts(),
  'a note without sections': noteFacts([]),
  'a note of one section': noteFacts([{ key: 'PLAN', title: 'Plan', text: 'Home with advice.' }]),
  'a note with markup in it': noteFacts([
    { key: 'HISTORY', title: HOSTILE, text: HOSTILE },
    { key: 'DECISION', title: 'Decision', text: '' },
  ]),
};

const DIFFERENTIALS = {
  'the differential of the bench': differentialFacts(),
  'a differential of one': differentialFacts([aDisease('Reflux', 'K21.9', 0.1, 'Pain with nausea.')]),
  'a differential with markup in it': differentialFacts([
    aDisease(HOSTILE, 'I24.9', 0.07, HOSTILE),
    aDisease('Costochondritis', 'M94.0', 0.5, 'Pain of the chest wall.'),
  ]),
};

const peers = makeContenders().filter((contender) => contender !== handWritten);

describe.each(peers)('$name in the mapping bench', (peer) => {
  it.each(Object.entries(NOTES))('maps %s to the documents of the hand-written code', async (_, json) => {
    expect(JSON.parse(await peer.mapNote(json))).toEqual(JSON.parse(await handWritten.mapNote(json)));
  });

  it.each(Object.entries(DIFFERENTIALS))('maps %s to the resources of the hand-written code', async (_, json) => {
    expect(JSON.parse(await peer.mapDifferential(json))).toEqual(JSON.parse(await handWritten.mapDifferential(json)));
  });
});

it('the hand-written documents of the mapping bench hold the same data as those of the engine', async () => {
  const [composition, documentReference] = JSON.parse(await handWritten.mapNote(noteFacts()));
  const resources = JSON.parse(await handWritten.mapDifferential(differentialFacts()));
  expect(composition.section).toHaveLength(8);
  expect(Buffer.from(documentReference.content[0].attachment.data, 'base64').toString()).toContain('CHIEF COMPLAINT');
  expect(resources.map(({ resourceType }: { resourceType: string }) => resourceType)).toEqual([
    ...Array.from({ length: 8 }, () => 'Condition'),
    'RiskAssessment',
  ]);
});
