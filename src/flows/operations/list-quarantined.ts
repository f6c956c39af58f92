// What came and could not be used: shown with its reason, never with what was in it.
import type { Inbox } from '../../ports/inbox.ts';

export type ListAside = Inbox['listAside'];

export function makeListAside({ inbox }: { readonly inbox: Pick<Inbox, 'listAside'> }): ListAside {
  return (query) => inbox.listAside(query);
}
