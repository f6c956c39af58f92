// Which request is it: read, search, write, transaction, and of which type of resource. Faults are narrowed by it.

export type RequestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

export type RequestFilter = {
  readonly method?: RequestMethod | readonly RequestMethod[];
  /** The type in the address; for transactions and batches any of their entries'. */
  readonly type?: string | readonly string[];
  /** A Bundle posted to the base, of type transaction. */
  readonly isTransaction?: boolean;
  /** Anything that may change the chart: no search, no read. */
  readonly isWrite?: boolean;
  readonly isSearch?: boolean;
  /** The CapabilityStatement. */
  readonly isMetadata?: boolean;
};

export type RequestKind = {
  readonly method: string;
  readonly types: readonly string[];
  readonly isTransaction: boolean;
  readonly isWrite: boolean;
  readonly isSearch: boolean;
  readonly isMetadata: boolean;
};

export function fitsFilter(kind: RequestKind, filter: RequestFilter = {}): boolean {
  const isOneOf = (given: string | readonly string[] | undefined, actual: readonly string[]) =>
    given === undefined || [given].flat().some((one) => actual.includes(one));
  const agrees = (given: boolean | undefined, actual: boolean) => given === undefined || given === actual;
  return (
    isOneOf(filter.method, [kind.method]) &&
    isOneOf(filter.type, kind.types) &&
    agrees(filter.isTransaction, kind.isTransaction) &&
    agrees(filter.isWrite, kind.isWrite) &&
    agrees(filter.isSearch, kind.isSearch) &&
    agrees(filter.isMetadata, kind.isMetadata)
  );
}
