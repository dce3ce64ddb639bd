/** An answer in the form of the OpenAI API's errors. */
export class RequestError extends Error {
  readonly status: number
  readonly type: string

  constructor(status: number, message: string, type = status === 404 ? 'NotFoundError' : 'BadRequestError') {
    super(message)
    this.name = 'RequestError'
    this.status = status
    this.type = type
  }

  body(): string {
    return JSON.stringify({ error: { message: this.message, type: this.type, param: null, code: this.status } })
  }
}
