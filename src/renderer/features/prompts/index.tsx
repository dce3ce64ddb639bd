/** Questions of the engine, as dialogs over whatever is shown. */
export function Prompts() {
  return null
}
