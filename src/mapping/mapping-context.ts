// The variables, documents and tables that a mapping may refer to, for the check when it is loaded.
import type { CodeTable } from '../domain/mapping/code-table.ts';

export type MappingContext =
  /** A document of a site: its variables and their members are known. */
  | {
      readonly kind: 'document';
      /** The file's stem: `composition`. */
      readonly document: string;
      /** All documents of the site, for `'device'.reference()`. */
      readonly documents: readonly string[];
      /** Tables by their names in `%codes`. */
      readonly tables: Readonly<Record<string, CodeTable>>;
      /** Whether a document with the note must show `%notice`: everywhere but at a site for trials. Default: true. */
      readonly needsNotice?: boolean;
    }
  /** Any mapping on any input: the names are known, their members are not. */
  | { readonly kind: 'free'; readonly variables: readonly string[]; readonly isStrict: boolean };
