import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { brandColors } from '../src/domain/brand-colors.ts';

const style = readFileSync(new URL('../src/views/browser/styles/colors.css', import.meta.url), 'utf8');
const [lightStyle = '', darkStyle = ''] = style.split('@media');
/** What text of the accent colour stands on. */
const surfaces = (css: string): string[] =>
  [...css.matchAll(/--(?:page|side|card|hover): (#[0-9a-f]+);/g)].map(([, color = '']) =>
    color.length === 4 ? color.replaceAll(/[0-9a-f]/g, '$&$&') : color,
  );
const LIGHT = surfaces(lightStyle);
const DARK = surfaces(darkStyle);

/** WCAG's formula in whole channels. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

const anyColor = fc.integer({ min: 0, max: 0xff_ff_ff }).map(value => `#${value.toString(16).padStart(6, '0')}`);

it('makes every colour readable in both schemes', () => {
  expect([LIGHT.length, DARK.length]).toEqual([4, 4]);
  fc.assert(
    fc.property(anyColor, color => {
      const { light, dark } = brandColors(color);
      for (const surface of LIGHT) expect(contrast(light.accent, surface)).toBeGreaterThanOrEqual(4.5);
      for (const surface of DARK) expect(contrast(dark.accent, surface)).toBeGreaterThanOrEqual(4.5);
      for (const surface of DARK) expect(contrast(dark.fill, surface)).toBeGreaterThanOrEqual(3);
      for (const { fill, fillHover } of [light, dark])
        for (const behind of [fill, fillHover]) expect(contrast(behind, '#ffffff')).toBeGreaterThanOrEqual(4.5);
    }),
    { numRuns: 2_000 },
  );
});

it('leaves a colour as it is where it can be read', () => {
  fc.assert(
    fc.property(anyColor, color => {
      const { light, dark } = brandColors(color);
      const isKept = (accent: string, on: readonly string[]) =>
        accent === color || on.some(surface => contrast(color, surface) < 4.5);
      expect([isKept(light.accent, LIGHT), isKept(dark.accent, DARK)]).toEqual([true, true]);
    }),
  );
});
