/** The colours that a project's accent colour gives a page in one scheme, as `#rrggbb`. */
export interface BrandColors {
  /** Of links and of the focus ring. */
  readonly accent: string;
  /** Behind white text. */
  readonly fill: string;
  /** The same under the pointer. */
  readonly fillHover: string;
}

type Rgb = readonly [red: number, green: number, blue: number];

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** What links may stand on that differs most from its scheme: the style sheet's `--hover`. */
const DARKEST_OF_LIGHT: Rgb = [0xf1, 0xf2, 0xf6];
const LIGHTEST_OF_DARK: Rgb = [0x1e, 0x24, 0x30];

/** Of text: https://www.w3.org/TR/WCAG22/#contrast-minimum */
const TEXT_CONTRAST = 4.5;
/** Of what is no text: https://www.w3.org/TR/WCAG22/#non-text-contrast */
const SHAPE_CONTRAST = 3;
/** A step changes a channel by at most 2, so that none skips the narrow range in which a fill of the dark scheme lies. */
const STEPS = 128;

/**
 * Returns a page's colours for an accent colour `#rrggbb`, in both schemes. It stays as it is where it can be read, and else
 * becomes darker or lighter until it can.
 */
export function brandColors(accentColor: string): { readonly light: BrandColors; readonly dark: BrandColors } {
  const own = parse(accentColor);
  const isBehindWhite = (color: Rgb) => contrast(color, WHITE) >= TEXT_CONTRAST;
  const light = mixUntil(own, BLACK, color => contrast(color, DARKEST_OF_LIGHT) >= TEXT_CONTRAST);
  const onDark = mixUntil(own, WHITE, color => contrast(color, LIGHTEST_OF_DARK) >= TEXT_CONTRAST);
  const fillOnDark = mixUntil(
    mixUntil(own, BLACK, isBehindWhite),
    WHITE,
    color => contrast(color, LIGHTEST_OF_DARK) >= SHAPE_CONTRAST,
  );
  return { light: colors(light, light), dark: colors(onDark, fillOnDark) };
}

const colors = (accent: Rgb, fill: Rgb): BrandColors => ({
  accent: format(accent),
  fill: format(fill),
  fillHover: format(mix(fill, BLACK, 0.15)),
});

/** Mixes in as little of `other` as it takes. */
function mixUntil(color: Rgb, other: Rgb, isFine: (mixed: Rgb) => boolean): Rgb {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(color, other, step / STEPS);
    if (isFine(mixed)) return mixed;
  }
  return other;
}

const mix = ([red, green, blue]: Rgb, other: Rgb, share: number): Rgb => {
  const of = (own: number, index: 0 | 1 | 2) => Math.round(own + (other[index] - own) * share);
  return [of(red, 0), of(green, 1), of(blue, 2)];
};

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: Rgb, other: Rgb): number {
  const [first, second] = [luminance(one), luminance(other)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map(it => {
    const channel = it / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number]; // as many as the color has
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

const format = (color: Rgb): string => `#${color.map(it => it.toString(16).padStart(2, '0')).join('')}`;
