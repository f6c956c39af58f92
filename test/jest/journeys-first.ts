// In which order suites begin: journeys first, for they take the longest and mostly wait. One that begins last would keep everybody
// waiting at the end.
import path from 'node:path';
import TestSequencer from '@jest/test-sequencer';

type Tests = Parameters<TestSequencer['sort']>[0];

const JOURNEYS = `${path.join(import.meta.dirname, '../journeys')}${path.sep}`;

export default class JourneysFirst extends TestSequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const sorted = await super.sort(tests);
    const isJourney = (test: Tests[number]) => test.path.startsWith(JOURNEYS);
    return [...sorted.filter(isJourney), ...sorted.filter((test) => !isJourney(test))];
  }
}
