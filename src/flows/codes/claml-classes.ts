// Collects the classes and modifiers of a ClaML document (versions 2 and 3) from its XML: codes, preferred names, and what belongs to what.
import { readDisplay, wrongFile } from './code-file.ts';
import type { XmlEvent } from './xml-events.ts';

export type ModifiedBy = {
  readonly modifier: string;
  /** The classes of the modifier that apply. Empty: all. */
  readonly valid: string[];
};

export type ClamlClass = {
  readonly code: string;
  readonly kind: string;
  parent: string | undefined;
  preferred: string | undefined;
  /** A name that is understood without the names above it. */
  preferredLong: string | undefined;
  readonly modifiedBy: ModifiedBy[];
  readonly excluded: string[];
};

export type ModifierClass = { readonly modifier: string; readonly code: string; name: string | undefined };

export type Claml = {
  readonly version: string | undefined;
  readonly classes: readonly ClamlClass[];
  readonly modifiers: ReadonlyMap<string, readonly ModifierClass[]>;
};

const MAX_CLASSES = 300_000;
const MAX_LABEL = 10_000;

export class ClamlClasses {
  #isClaml = false;
  #version: string | undefined;
  readonly #classes: ClamlClass[] = [];
  readonly #modifiers = new Map<string, ModifierClass[]>();
  #class: ClamlClass | undefined;
  #modifierClass: ModifierClass | undefined;
  #rubric: string | undefined;
  #label: string | undefined;
  #isInReference = false;

  take(event: XmlEvent): void {
    if (event.kind === 'text') this.#text(event.text);
    else if (event.kind === 'open') this.#opened(event.name, event.attributes);
    else this.#closed(event.name);
  }

  end(): Claml {
    if (!this.#isClaml) throw notClaml();
    return { version: this.#version, classes: this.#classes, modifiers: this.#modifiers };
  }

  #opened(name: string, attributes: ReadonlyMap<string, string>): void {
    const code = attributes.get('code') ?? '';
    if (!this.#isClaml && name !== 'ClaML') throw notClaml();
    switch (name) {
      case 'ClaML':
        this.#isClaml = true;
        break;
      case 'Title':
        this.#version ??= attributes.get('version')?.trim() || attributes.get('date')?.trim() || undefined;
        break;
      case 'Class':
        this.#class = newClass(code, attributes.get('kind') ?? '');
        break;
      case 'ModifierClass':
        this.#modifierClass = { modifier: attributes.get('modifier') ?? '', code, name: undefined };
        break;
      case 'SuperClass':
        if (this.#class !== undefined) this.#class.parent ??= code;
        break;
      case 'ModifiedBy':
        this.#class?.modifiedBy.push({ modifier: code, valid: [] });
        break;
      case 'ValidModifierClass':
        this.#class?.modifiedBy.at(-1)?.valid.push(code);
        break;
      case 'ExcludeModifier':
        this.#class?.excluded.push(code);
        break;
      case 'Rubric':
        this.#rubric = attributes.get('kind');
        break;
      case 'Label':
        this.#label = '';
        break;
      case 'Reference':
        this.#isInReference = true;
        break;
    }
  }

  #closed(name: string): void {
    if (name === 'Label') this.#named();
    else if (name === 'Rubric') this.#rubric = undefined;
    else if (name === 'Reference') this.#isInReference = false;
    else if (name === 'Class' && this.#class !== undefined) {
      this.#classes.push(this.#class);
      this.#class = undefined;
      if (this.#classes.length > MAX_CLASSES) throw wrongFile(`The file has more than ${MAX_CLASSES} classes.`);
    } else if (name === 'ModifierClass' && this.#modifierClass !== undefined) {
      const { modifier } = this.#modifierClass;
      this.#modifiers.set(modifier, [...(this.#modifiers.get(modifier) ?? []), this.#modifierClass]);
      this.#modifierClass = undefined;
    }
  }

  /** The code of another class in brackets is no part of the name. */
  #text(text: string): void {
    if (this.#label === undefined || this.#isInReference || !this.#isPreferred()) return;
    this.#label += text;
    if (this.#label.length > MAX_LABEL) throw wrongFile(`A name is longer than ${MAX_LABEL} characters.`);
  }

  #isPreferred(): boolean {
    return this.#rubric === 'preferred' || this.#rubric === 'preferredLong';
  }

  #named(): void {
    const name = readDisplay(this.#label ?? '');
    this.#label = undefined;
    if (name === undefined || !this.#isPreferred()) return;
    if (this.#modifierClass !== undefined) this.#modifierClass.name ??= name;
    else if (this.#class !== undefined) this.#class[this.#rubric as 'preferred' | 'preferredLong'] ??= name;
  }
}

function newClass(code: string, kind: string): ClamlClass {
  return {
    code,
    kind,
    parent: undefined,
    preferred: undefined,
    preferredLong: undefined,
    modifiedBy: [],
    excluded: [],
  };
}

function notClaml() {
  return wrongFile('The file is no ClaML: its XML does not begin with the element ClaML.');
}
