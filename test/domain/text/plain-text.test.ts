import { describe, expect, it } from '@jest/globals';
import { type IsSaid, removeMarkup } from '../../../src/domain/text/plain-text.ts';
import { makeIsSaid } from '../../../src/domain/text/said-addresses.ts';

const notSaid: IsSaid = () => false;
const textOf = (text: string): string => removeMarkup(text, notSaid).text;

describe('Text of a model with markup', () => {
  it.each([
    ['<b>Fever</b> for 3 days', 'Fever for 3 days'],
    ['fever<br>cough<br/>pain', 'fever\ncough\npain'],
    ['10<sup>9</sup>/L, H<sub>2</sub>O', '10^9/L, H2O'],
    ['<td>5</td><td>10</td>', '5 10'],
    ['Rest. <script>alert(1)</script>Fluids.', 'Rest. Fluids.'],
    ['Rest. <style>p { color: red }</style>Fluids.', 'Rest. Fluids.'],
    ['<SCRIPT\nSRC=//evil.example/x></SCRIPT>Rest.', 'Rest.'],
    ['< script >alert(1)</ script >Rest.', 'Rest.'],
    ['Rest. <script>alert(1)\nFluids.', 'Rest.\nFluids.'],
    ['&lt;script&gt;alert(1)&lt;/script&gt;Rest.', 'Rest.'],
    ['&amp;lt;img src=x onerror=alert(1)&amp;gt;Rest.', 'Rest.'],
    ['&#60;b&#x3E;Rest&#60/b&#x003E;', 'Rest'],
    ['%3Cscript%3Ealert(1)%3C/script%3ERest.', 'Rest.'],
    ['\\u003cb\\u003eRest\\x3c/b\\x3e', 'Rest'],
    ['＜script＞alert(1)＜/script＞Rest.', 'Rest.'],
    ['Rest. <img src=x onerror=alert(1)', 'Rest. '],
    ['Rest. <iframe src="x', 'Rest. '],
    ['<svg/onload=alert(1)>Rest.', 'Rest.'],
    ['<!-- hidden -->Rest.', 'Rest.'],
    ['Rest. <!-- open', 'Rest. '],
    ['<![CDATA[fever & cough]]>', 'fever & cough'],
    ['<?php echo 1 ?><!DOCTYPE html>Rest.', 'Rest.'],
    ['<o:p>Rest</o:p>', 'Rest'],
    ['<finding>Rest</finding>', 'Rest'],
    ['SpO2 &lt; <b>90</b> %', 'SpO2 < 90 %'],
    ['scr\u200bipt of pain', 'script of pain'],
    ['Rest.\u{e0041}\u{e0042}', 'Rest.'],
  ])('%j becomes %j', (before, after) => {
    expect(textOf(before).trimEnd()).toBe(after.trimEnd());
  });

  it.each([
    'SpO2 <90 %',
    'BP > 140 and HR<60',
    '<5 mg',
    'a < b',
    '3<x>2 is no tag, says < 3 >',
    'temperature <38 °C & WBC >10',
    'lactate => 2, Na <= 130, K >= 5.5, pain -> arm, arm <- chest',
    '< 18 years',
    'Data: 12/03/2024. Datos: fiebre.',
    '[not found in the recording]',
    '1. Fever\n2. b.i.d. 5 mg p.o.',
    'p. ex. 1,5 mg/dL; e.g. 3.5 [normal: 2.0-4.0] (stable)',
    '# Plan\n- **Rest**, `ECG`, 25 mg @ 8',
    'family: 👨‍👩‍👧',
    'AT&T, R & D',
    'Fever.Cough since Monday, dolor.Es leve, no.It was dull',
    'pH 7.35, tomó 2.5 ml',
  ])('%j stays as it is', (text) => {
    const expected = text.replace('3<x>2', '3 2');
    expect(textOf(text)).toBe(expected);
  });

  it.each([
    ['GFR <normal, x', 'GFR < normal, x'],
    ['Hb <normal and WBC >10', 'Hb < normal and WBC >10'],
    ['a <b and c> d', 'a < b and c> d'],
    ['love </3', 'love < /3'],
  ])('the comparison %j keeps its words and gets a space: %j', (before, after) => {
    expect(removeMarkup(before, notSaid)).toEqual({ text: after, removed: { markup: 0, addresses: 0 } });
  });

  it('counts markup and addresses apart', () => {
    const text = '<b>Rest</b> ![scan](https://a.example/x.png) and https://b.example or [this](https://c.example)';
    expect(removeMarkup(text, notSaid)).toEqual({ text: 'Rest and or this', removed: { markup: 3, addresses: 2 } });
  });
});

describe('Addresses in the text of a model', () => {
  it.each([
    ['See https://evil.example/a?b=c#d.', 'See.'],
    ['See (https://evil.example/a_(b)), then rest.', 'See, then rest.'],
    ['See http:evil.example and hxxps://evil.example', 'See and'],
    ['Visit www.evil.example, please', 'Visit, please'],
    ['At evil.com/x or sub.evil.com:8080 or EVIL.ORG', 'At or or'],
    ['Em saude.gov.br ou exemplo.com.br', 'Em ou'],
    ['Write to foo.bar+x@evil.example, please', 'Write to, please'],
    ['<https://evil.example> <a@evil.example> Rest.', 'Rest.'],
    ['See [the guide](https://evil.example/a "title") here', 'See the guide here'],
    ['See [the guide][1] here\n[1]: https://evil.example', 'See the guide here\n'],
    ['See ![a scan](https://evil.example/x.png) here', 'See here'],
    ['See ![a scan](https://evil.ex', 'See'],
    ['See [this](https://evil.ex', 'See this'],
    ['[click](javascript:alert(1)) here', 'click here'],
    ['javascript:alert(1) here', 'here'],
    ['JaVa\tScRiPt :alert(1) here', 'here'],
    ['java&#115;cript&colon;alert(1) here', 'here'],
    ['vbscript:msgbox(1) here', 'here'],
    ['data:text/html;base64,PHNjcmlwdD4= here', 'here'],
    ['ftp://evil.example/x here', 'here'],
  ])('%j becomes %j', (before, after) => {
    expect(textOf(before)).toBe(after);
  });

  it('an address that was said or is in the chart stays, and its links become plain', () => {
    const isSaid = makeIsSaid(['Go to Example.org/diet today.', 'Mail nurse@clinic.example']);
    const text =
      'Look at example.org/diet, [this](example.org/diet) and <nurse@clinic.example>. Not example.org/other.';
    expect(removeMarkup(text, isSaid)).toEqual({
      text: 'Look at example.org/diet, this (example.org/diet) and nurse@clinic.example. Not.',
      removed: { markup: 0, addresses: 1 },
    });
  });

  it('an address that runs a program goes out even if it was said', () => {
    expect(removeMarkup('Then javascript:alert(1) ends', () => true).text).toBe('Then ends');
  });

  it.each([
    ['example.org', 'we said example.org today', true],
    ['EXAMPLE.org', 'we said example.org.', true],
    ['example.org', 'we said notexample.org', false],
    ['example.org', 'we said example.org.evil', false],
    ['example.org', 'we said example dot org', false],
    ['', 'anything', false],
  ])('%j in %j: %s', (address, said, expected) => {
    expect(makeIsSaid([said])(address)).toBe(expected);
  });
});
