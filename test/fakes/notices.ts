// Messages to people, in memory.
import type { Notice, Notices } from '../../src/ports/notices.ts';
import { makeDueQueue } from './due-queue.ts';

export type FakeNotices = Notices & {
  /** All that were added, the oldest first. */
  readonly all: () => readonly Notice[];
};

export function makeFakeNotices({ now = () => new Date() }: { readonly now?: () => Date } = {}): FakeNotices {
  const { has, put, ...queue } = makeDueQueue<Notice>(now);
  return {
    ...queue,
    add: async (notice) => {
      if (!has(notice.id)) put({ ...notice, createdAt: now(), tries: 0 });
    },
  };
}
