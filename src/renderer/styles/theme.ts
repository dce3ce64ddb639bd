import {
  Badge,
  Button,
  Checkbox,
  createTheme,
  type CSSVariablesResolver,
  Input,
  Menu,
  Modal,
  NavLink,
  Popover,
  SegmentedControl,
  Tabs,
  Tooltip,
} from '@mantine/core'

/** 4 px grid, 13 px text, one blue. Colours are the tokens of tokens.css, so that our own CSS and Mantine's agree. */
export const theme = createTheme({
  fontFamily: 'var(--sg-font)',
  fontFamilyMonospace: 'var(--sg-mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '20px', xl: '24px' },
  radius: { xs: '3px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  defaultRadius: 'md',
  headings: {
    fontFamily: 'var(--sg-font)',
    fontWeight: '600',
    sizes: { h1: { fontSize: '18px' }, h2: { fontSize: '15px' }, h3: { fontSize: '13px' } },
  },
  primaryColor: 'blue',
  primaryShade: { light: 6, dark: 6 },
  cursorType: 'pointer',
  respectReducedMotion: true,
  colors: {
    blue: ['#eef4ff', '#e5edfc', '#c9dbfa', '#9dbef5', '#6f9df0', '#3d7bf0', '#1f5fd6', '#1a55c4', '#15469f', '#10357a'],
    gray: ['#f5f6f8', '#eef0f3', '#dfe3e8', '#cbd1d9', '#aab3bf', '#8a94a3', '#5d6775', '#48515e', '#2c333c', '#171b21'],
    red: ['#fdf1f0', '#fce8e6', '#f8cdc9', '#f0a09a', '#e26b62', '#cf3f36', '#b3261e', '#98201a', '#7c1a15', '#5c130f'],
    dark: ['#e8ebef', '#b4bcc6', '#949eaa', '#6f7a87', '#2a3138', '#21272e', '#1e2329', '#171b20', '#101317', '#0c0f12'],
  },
  components: {
    Button: Button.extend({
      defaultProps: { size: 'sm' },
      vars: (_theme, { size }) => ({
        root: size === 'sm' ? { '--button-height': '30px', '--button-padding-x': '12px', '--button-fz': '13px' } : {},
      }),
      styles: { root: { fontWeight: 500 } },
    }),
    Input: Input.extend({
      defaultProps: { size: 'sm' },
      vars: (_theme, { size }) => ({ wrapper: size === 'sm' ? { '--input-height': '30px', '--input-fz': '13px' } : {} }),
    }),
    InputWrapper: Input.Wrapper.extend({
      defaultProps: { size: 'sm', inputWrapperOrder: ['label', 'input', 'description', 'error'] },
      styles: {
        label: { fontWeight: 500, marginBottom: 4 },
        description: { marginTop: 4, fontSize: 12, lineHeight: 1.4 },
        error: { marginTop: 4, fontSize: 12 },
      },
    }),
    Checkbox: Checkbox.extend({ defaultProps: { size: 'xs' } }),
    Badge: Badge.extend({
      defaultProps: { variant: 'default', radius: 'sm' },
      styles: { label: { textTransform: 'none', fontWeight: 500 } },
    }),
    Tooltip: Tooltip.extend({
      defaultProps: {
        openDelay: 350,
        closeDelay: 60,
        maw: 340,
        multiline: true,
        withArrow: false,
        events: { hover: true, focus: true, touch: true },
      },
    }),
    Modal: Modal.extend({
      defaultProps: { centered: true, padding: 'lg', transitionProps: { duration: 120 } },
      styles: { title: { fontSize: 15, fontWeight: 600 } },
    }),
    Menu: Menu.extend({ defaultProps: { shadow: 'md', transitionProps: { duration: 80 } } }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md', transitionProps: { duration: 80 } } }),
    SegmentedControl: SegmentedControl.extend({ defaultProps: { size: 'xs' } }),
    Tabs: Tabs.extend({ defaultProps: { keepMounted: false } }),
    NavLink: NavLink.extend({}),
  },
})

const shared = {
  '--mantine-color-body': 'var(--sg-surface)',
  '--mantine-color-text': 'var(--sg-text)',
  '--mantine-color-dimmed': 'var(--sg-text-3)',
  '--mantine-color-placeholder': 'var(--sg-text-3)',
  '--mantine-color-default': 'var(--sg-raised)',
  '--mantine-color-default-hover': 'var(--sg-hover)',
  '--mantine-color-default-color': 'var(--sg-text)',
  '--mantine-color-default-border': 'var(--sg-line)',
  '--mantine-color-error': 'var(--sg-bad)',
  '--mantine-color-anchor': 'var(--sg-accent-text)',
}

export const cssVariables: CSSVariablesResolver = () => ({ variables: {}, light: shared, dark: shared })
