// Drills of the EHR: it is unavailable, slow or broken, loses answers after storing, accepts less than it announces, forgets tokens, or
// ends links to recordings.
import { CHART_REQUESTS, NOTE_WRITES } from './chart-requests.ts';
import { type DrillPlan, SCENARIO, SHOW, WATCH, WRITTEN } from './drill-plan.ts';

export const EHR_DRILLS: readonly DrillPlan[] = [
  {
    name: 'ehr-down',
    title: 'The EHR breaks every connection for 15 s, just when a visit has ended.',
    lookFor: [
      `${WATCH}: the run waits for the EHR, and no try of it is used up.`,
      'After a few failures the EHR is left alone for 5 s, then for 10 s: no requests add to its load.',
      `When it is back the run goes on by itself. ${SHOW}: one note, once.`,
    ],
    promise: WRITTEN,
    maxSeconds: 120,
    scenario: SCENARIO,
    trouble: { at: 'ehr', faults: [{ mode: 'down' }] },
    overAfterSeconds: 15,
  },
  {
    name: 'ehr-slow',
    title: 'The EHR takes a second for everything.',
    lookFor: [
      `${WATCH}: the steps that ask the EHR (read-chart, fetch-recording, write-chart) take many times as long as usual.`,
      'Nothing fails and nothing is asked twice: it is slow, and not down.',
      SHOW,
    ],
    promise: WRITTEN,
    maxSeconds: 120,
    scenario: SCENARIO,
    trouble: { at: 'ehr', faults: [{ mode: 'slow', ms: 1_000 }] },
  },
  {
    name: 'ehr-errors',
    title: 'The EHR answers everything with 500 for 5 s.',
    lookFor: [
      `${WATCH}: what is read is asked for again at once, a few times; then the run waits for the EHR, and no try of it is used up.`,
      'Nothing was sent, so nothing is in doubt. A 500 to a write would be: then it is looked for before anything is sent again.',
      SHOW,
    ],
    promise: WRITTEN,
    maxSeconds: 120,
    scenario: SCENARIO,
    trouble: { at: 'ehr', faults: [{ mode: 'server-errors', status: 500 }] },
    overAfterSeconds: 5,
  },
  {
    name: 'ehr-hangs',
    title: 'The EHR stores what it is sent, and its answer never comes.',
    lookFor: [
      `${WATCH}: write-chart waits until the connection breaks off after 15 s. Then it is unknown whether the write is stored.`,
      'It is not sent again: the engine looks for it by its identifiers, and finds it.',
      `${SHOW}: each document once, in its first version.`,
    ],
    promise: WRITTEN,
    maxSeconds: 120,
    scenario: SCENARIO,
    trouble: { at: 'ehr', faults: [{ mode: 'lost-answer', how: 'hang', isStored: true, times: 1, on: NOTE_WRITES }] },
    overAfterSeconds: 15,
  },
  {
    name: 'ehr-entry-limit',
    title: 'The EHR refuses transactions that have more than four entries, as some servers limit them.',
    lookFor: [
      'Transactions are used only after a write test: npm run cli -- sites probe sandbox --write-test, before this drill.',
      'The documents of a visit are more than four: the transaction is refused as a whole, and nothing of it is stored.',
      'In the same try they are written one after the other, each entered into the ledger before and after.',
      `${SHOW}: all of them, as after any other visit.`,
    ],
    promise: WRITTEN,
    maxSeconds: 60,
    scenario: SCENARIO,
    // One refused transaction cannot be distinguished from a limit of entries, so transactions are refused altogether.
    trouble: {
      at: 'ehr',
      faults: [
        { mode: 'entry-limit', maxEntries: 4 },
        { mode: 'no-transactions', status: 400 },
      ],
      changesEhr: true,
    },
  },
  {
    name: 'ehr-tokens',
    title: 'The EHR forgets each of the engine’s tokens after 15 requests.',
    lookFor: [
      `${WATCH}: nothing is to be seen. A request that is refused with 401 is sent again with a new token, once.`,
      SHOW,
    ],
    promise: WRITTEN,
    maxSeconds: 60,
    scenario: SCENARIO,
    trouble: { at: 'ehr', faults: [{ mode: 'expiring-tokens', requestsPerToken: 15, on: CHART_REQUESTS }] },
  },
  {
    name: 'ehr-links',
    title: 'The links to recordings have ended when they are opened, as signed links do after an hour.',
    lookFor: [
      `${WATCH}: nothing is to be seen. A link that is refused is read again from the chart, and the new link is opened, once.`,
      'Only if the new link is refused as well, the run is parked, and says so.',
      SHOW,
    ],
    promise: WRITTEN,
    maxSeconds: 60,
    scenario: SCENARIO,
    trouble: { at: 'ehr', faults: [{ mode: 'ended-links' }] },
  },
];
