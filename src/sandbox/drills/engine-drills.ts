// Drills of the reasoner, the speech recognition and the broker. They affect runs only; the REST API works as before.
import { type DrillPlan, SCENARIO, SHOW, WATCH, WRITTEN } from './drill-plan.ts';

export const ENGINE_DRILLS: readonly DrillPlan[] = [
  {
    name: 'model-down',
    title: 'The model cannot be reached for 10 s.',
    lookFor: [
      `${WATCH}: after three failures no run calls the model for 5 s, then for 10 s; then one run tries whether it is back.`,
      'The run waits for the reasoner, no try of it is used up, and what was transcribed is kept: only write-note is done again.',
      '/readyz says degraded until the model answers again; then all that waits for it goes on at once.',
    ],
    promise: WRITTEN,
    maxSeconds: 120,
    scenario: SCENARIO,
    trouble: { at: 'engines', fault: { service: 'reasoner', mode: 'down' } },
    overAfterSeconds: 10,
  },
  {
    name: 'model-malformed',
    title: 'The model answers twice with something that is not what it was asked for.',
    lookFor: [
      `${WATCH}: write-note fails twice, and each time a try of the run is used up. After five it would be parked for a person.`,
      `Nothing of a malformed answer is used. ${SHOW}`,
    ],
    promise: WRITTEN,
    maxSeconds: 60,
    scenario: SCENARIO,
    trouble: { at: 'engines', fault: { service: 'reasoner', mode: 'malformed', times: 2 } },
  },
  {
    name: 'model-cut',
    title: 'The model stops in the middle of its answer, three times.',
    lookFor: [
      `${WATCH}: write-note fails and is done again, with a longer pause each time.`,
      `A part of an answer is never taken for a whole one: the chart is complete in the end. ${SHOW}`,
    ],
    promise: WRITTEN,
    maxSeconds: 60,
    scenario: SCENARIO,
    trouble: { at: 'engines', fault: { service: 'reasoner', mode: 'cut', times: 3 } },
  },
  {
    name: 'model-slow',
    title: 'The model takes 6 s longer for each answer.',
    lookFor: [
      `${WATCH}: write-note and diagnose take 6 s more each; the run stays with the worker that has it.`,
      'Nothing fails, and no other worker takes the run over.',
    ],
    promise: WRITTEN,
    maxSeconds: 90,
    scenario: SCENARIO,
    trouble: { at: 'engines', fault: { service: 'reasoner', mode: 'slow', ms: 6_000 } },
  },
  {
    name: 'speech-down',
    title: 'Speech recognition cannot be reached for 5 s.',
    lookFor: [
      `${WATCH}: the run waits for speech before transcribe; after three failures no run calls it for 5 s; then one run tries whether it is back.`,
      'No try of the run is used up, and the recording is kept, encrypted, until it is transcribed.',
      `When it answers, all that waits for it goes on at once. ${SHOW}`,
    ],
    promise: WRITTEN,
    maxSeconds: 120,
    scenario: SCENARIO,
    trouble: { at: 'engines', fault: { service: 'speech', mode: 'down' } },
    overAfterSeconds: 5,
  },
  {
    name: 'broker-down',
    title: 'The broker is away for 12 s: RabbitMQ is connected neither to receive nor to send.',
    lookFor: [
      'The visit is documented all the same: the EHR’s Subscription sent its event.',
      '/readyz says degraded, and since when RabbitMQ is away; it answers 200, for work is accepted.',
      'The outcome event (sandbox.encounter.documented) is kept, and sent within half a minute after the broker is back.',
      'The broker’s later events of the same encounter start no second run.',
    ],
    promise: WRITTEN,
    maxSeconds: 60,
    scenario: SCENARIO,
    trouble: { at: 'broker' },
    overAfterSeconds: 12,
  },
];
