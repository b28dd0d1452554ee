"""Asks a gateway with OpenAI's Python SDK: one command of a line of JSON on stdin at a time, one line of JSON for each."""

import json
import sys

import openai
from pydantic import BaseModel

HELLO = [{"role": "user", "content": "Hello"}]


class City(BaseModel):
    city: str


def chat(client, _):
    answer = client.chat.completions.create(model="m1", messages=HELLO, max_tokens=16)
    return [answer.choices[0].message.content, answer.usage.total_tokens, answer._request_id]


def stream(client, _):
    chunks = list(
        client.chat.completions.create(
            model="m1", messages=HELLO, max_tokens=16, stream=True, stream_options={"include_usage": True}
        )
    )
    said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    return [said, chunks[-1].usage.total_tokens]


def tool(client, _):
    asked = client.chat.completions.create(model="m1", messages=HELLO, max_tokens=16)
    call = asked.choices[0].message.tool_calls[0]
    said = {"role": "tool", "tool_call_id": call.id, "content": "rain"}
    answer = client.chat.completions.create(
        model="m1", messages=[*HELLO, asked.choices[0].message, said], max_tokens=16
    )
    return [json.loads(call.function.arguments), answer.choices[0].message.content]


def tool_stream(client, _):
    with client.chat.completions.stream(model="m1", messages=HELLO, max_tokens=16) as events:
        call = events.get_final_completion().choices[0].message.tool_calls[0]
    return json.loads(call.function.arguments)


def schema(client, _):
    answer = client.chat.completions.parse(model="m1", messages=HELLO, max_tokens=16, response_format=City)
    return answer.choices[0].message.parsed.city


def embeddings(client, _):
    return [row.embedding for row in client.embeddings.create(model="m1", input=["a", "b"]).data]


def models(client, _):
    return [model.id for model in client.models.list()]


def responses(client, _):
    return client.responses.create(model="m1", input="Hello").output_text


def responses_stream(client, _):
    with client.responses.stream(model="m1", input="Hello") as events:
        return events.get_final_response().output_text


def transcription(client, _):
    return client.audio.transcriptions.create(model="m1", file=("a.wav", b"RIFF")).text


def unknown(client, _):
    answer = client.chat.completions.create(
        model="m1", messages=HELLO, max_tokens=16, extra_body={"from_tomorrow": {"deep": [1, None]}}
    )
    return answer.model_extra


def leave(client, _):
    """Reads one piece of content and goes."""
    with client.chat.completions.create(model="m1", messages=HELLO, max_tokens=64, stream=True) as events:
        for chunk in events:
            if chunk.choices[0].delta.content:
                return "left"


def refused(client, asked):
    messages = [] if asked["isEmpty"] else HELLO
    client.chat.completions.create(model=asked["model"], messages=messages, max_tokens=asked["maxTokens"])


def main():
    for line in sys.stdin:
        command = json.loads(line)
        client = openai.OpenAI(base_url=command["baseUrl"], api_key=command["key"], max_retries=0)
        try:
            result = {"value": globals()[command["name"]](client, command)}
        except openai.APIStatusError as error:
            result = {"status": error.status_code, "class": type(error).__name__, "code": error.code}
            result["request_id"] = error.request_id
        except openai.APIError as error:
            result = {"class": type(error).__name__, "message": error.message}
        print(json.dumps(result), flush=True)


main()
