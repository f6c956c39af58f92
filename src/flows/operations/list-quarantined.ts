// What came and could not be used: shown with its reason, never with what was in it.
import type { Inbox } from '../../ports/inbox.ts';

export type ListQuarantined = Inbox['listQuarantined'];

export function makeListQuarantined({ inbox }: { readonly inbox: Pick<Inbox, 'listQuarantined'> }): ListQuarantined {
  return (query) => inbox.listQuarantined(query);
}
