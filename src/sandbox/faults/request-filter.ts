// Filters requests by kind (read, search, write, transaction) and resource type, for faults.

export type RequestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

export type RequestFilter = {
  readonly method?: RequestMethod | readonly RequestMethod[];
  /** The type in the path; for transactions and batches the type of any entry. */
  readonly type?: string | readonly string[];
  /** A posted Bundle of type transaction. */
  readonly isTransaction?: boolean;
  /** Any request that may change the chart. */
  readonly isWrite?: boolean;
  readonly isSearch?: boolean;
  /** The request for the CapabilityStatement. */
  readonly isMetadata?: boolean;
};

export type RequestKind = {
  readonly method: string;
  readonly types: readonly string[];
  readonly isTransaction: boolean;
  readonly isWrite: boolean;
  /** A posted Bundle of type batch whose entries only read. */
  readonly isReadBatch: boolean;
  readonly isSearch: boolean;
  readonly isMetadata: boolean;
};

export function fitsFilter(kind: RequestKind, filter: RequestFilter = {}): boolean {
  const isOneOf = (wanted: string | readonly string[] | undefined, actual: readonly string[]) =>
    wanted === undefined || [wanted].flat().some((one) => actual.includes(one));
  const agrees = (wanted: boolean | undefined, actual: boolean) => wanted === undefined || wanted === actual;
  return (
    isOneOf(filter.method, [kind.method]) &&
    isOneOf(filter.type, kind.types) &&
    agrees(filter.isTransaction, kind.isTransaction) &&
    agrees(filter.isWrite, kind.isWrite) &&
    agrees(filter.isSearch, kind.isSearch) &&
    agrees(filter.isMetadata, kind.isMetadata)
  );
}
