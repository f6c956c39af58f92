// Lists quarantined deliveries with their reasons, never with their content.
import type { Inbox } from '../../ports/inbox.ts';

export type ListQuarantined = Inbox['listQuarantined'];

export function makeListQuarantined({ inbox }: { readonly inbox: Pick<Inbox, 'listQuarantined'> }): ListQuarantined {
  return (query) => inbox.listQuarantined(query);
}
